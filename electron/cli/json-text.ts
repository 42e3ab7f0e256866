export { jsonText } from '../engine/share/export/json-text';
