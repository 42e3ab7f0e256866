export * from './assert';
export * from './family';
export * from './context';
export * from './ids';
export * from './session';
export * from './words';
