import type { Model } from "./model.ts";

/** Whether requests must stay in the operator's own network. Any process may change it at any time. */
export type LocalOnly = () => Promise<boolean>;

/** The model with every request limited to the operator's own network. */
export function onlyLocal(model: Model): Model {
  return {
    ...model,
    stream: (request, signal, observer) => model.stream({ ...request, localOnly: true }, signal, observer),
  };
}
