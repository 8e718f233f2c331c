import { createStore } from "#web/lib/store.ts";

/** The answer whose texts are being edited. */
export const editedAnswer = createStore<string | undefined>(undefined);
