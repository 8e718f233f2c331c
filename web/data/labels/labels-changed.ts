import { createStore } from "#web/lib/store.ts";

/** Whether folders or tags have changed since the page began: the folders may not be loaded yet. */
export const labelsChanged = createStore(false);
