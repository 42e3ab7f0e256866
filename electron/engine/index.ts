import { homedir } from 'node:os';
import { hostEngine } from './host';
import { openHub } from './open-hub';
import { decodeOptions } from './options';

/** Entry of the engine's process or thread: answers every client its starter hands over. */
const hub = openHub(decodeOptions(process.env), homedir(), { watch: true });
hostEngine((port) => hub.attach(port));
