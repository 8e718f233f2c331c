import { importOrRetry } from "../lib/import-or-retry.ts";
import { createStore } from "../lib/store.ts";
import type { TextsName } from "../i18n/language.ts";
import { loadTexts } from "../i18n/load-language.ts";

/** A module that is loaded on first use or when the browser is idle, not with the page. */
export type LazyModule<Value extends object> = {
  /** Loads the module once and returns whether it loaded. A call after a failure tries again. Never throws. */
  load(): Promise<boolean>;
  /** `undefined` before it has loaded, `failed` after an attempt that failed. */
  use(): Value | "failed" | undefined;
};

/** `pick` returns what is used of the module. `texts` names all texts that it shows besides those of the page. */
export function createLazyModule<Module extends object, Value extends object>(
  importModule: () => Promise<Module>,
  pick: (module: Module) => Value,
  ...texts: TextsName[]
): LazyModule<Value> {
  const state = createStore<Value | "failed" | undefined>(undefined);
  let loading: Promise<boolean> | undefined;

  async function attempt(): Promise<boolean> {
    try {
      if (state.get() === "failed") reloadFailedStyles();
      const [module] = await Promise.all([importOrRetry(importModule), loadTexts(...texts)]);
      state.set(pick(module));
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

/** Vite adds the link to a module's styles only once, even if they fail to load. */
function reloadFailedStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel='stylesheet']"))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}
