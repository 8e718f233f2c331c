import { createStore } from "#web/lib/store.ts";

/** Whether the user is the owner of the server, who reads the names of settings in error messages. */
export const owner = createStore(false);
