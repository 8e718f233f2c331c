import { createStore } from "../lib/store.ts";

/** A module that is loaded on first use or when the browser is idle, not with the page. */
export type LazyModule<Value extends object> = {
  /** Loads the module once and returns whether it loaded. A call after a failure tries again. Never throws. */
  load(): Promise<boolean>;
  /** `undefined` before it has loaded, `failed` after an attempt that failed. */
  use(): Value | "failed" | undefined;
};

/** `pick` returns what is used of the module. */
export function createLazyModule<Module extends object, Value extends object>(
  importModule: () => Promise<Module>,
  pick: (module: Module) => Value,
): LazyModule<Value> {
  const state = createStore<Value | "failed" | undefined>(undefined);
  let loading: Promise<boolean> | undefined;

  async function attempt(): Promise<boolean> {
    try {
      if (state.get() === "failed") reloadFailedStyles();
      state.set(pick(await importOrRetry(importModule)));
      return true;
    } catch {
      // The browser is offline, for example, or the server has a newer build.
      state.set("failed");
      loading = undefined;
      return false;
    }
  }

  return { load: () => (loading ??= attempt()), use: state.use };
}

/** What was imported under another URL, by the module's own URL: all users of a module get the same instance. */
const retried = new Map<string, Promise<object>>();

/**
 * Browsers remember a failed import for as long as the page lives and send no second request (Chromium since version
 * 150). So it is repeated with another query, if the browser's error message has the URL.
 */
async function importOrRetry<Module extends object>(importModule: () => Promise<Module>): Promise<Module> {
  try {
    return await importModule();
  } catch (error) {
    const url = /https?:\/\/\S+\.js/.exec(String(error))?.[0];
    if (url === undefined) throw error;
    const retry = retried.get(url) ?? import(/* @vite-ignore */ `${url}?retry=${Date.now()}`);
    retried.set(url, retry);
    retry.catch(() => retried.delete(url));
    return (await retry) as Module;
  }
}

/** Vite adds the link to a module's styles only once, even if they fail to load. */
function reloadFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel='stylesheet']"))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
