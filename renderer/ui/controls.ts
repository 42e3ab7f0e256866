export { visibleControls } from '@shared/visible-controls';
