export * from './assert';
export * from './family';
export * from './context';
export * from './ids';
export * from './memory';
export * from './session';
export * from './words';
export * from './work';
