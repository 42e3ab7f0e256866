export * from './assert';
export * from './family';
export * from './ids';
export * from './session';
export * from './words';
