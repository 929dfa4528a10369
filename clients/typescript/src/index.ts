export { Augury, type Dimension, type Question, type Status } from "./client.js";
export * from "./errors.js";
export type { Event } from "./events.js";
export type * from "./models.js";
export { Run, type Progress } from "./runs.js";
export { Pages, type Options, type Settings, type When } from "./transport.js";
export { everyMarket, priceOf, table } from "./views.js";
