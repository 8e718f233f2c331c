import { createStore } from "#web/lib/store.ts";

/** Whether the user administers the server, and so reads the names of settings in error messages. */
export const managesServer = createStore(false);
