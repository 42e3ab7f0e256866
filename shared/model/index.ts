export * from './assert';
export * from './ids';
export * from './session';
export * from './words';
