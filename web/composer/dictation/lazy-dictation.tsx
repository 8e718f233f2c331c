import { createLazyModule } from "#web/ui/lazy-module.ts";

export const dictation = createLazyModule(
  () => import("./dictation-button.tsx"),
  (module) => module,
  "composer",
);

/** Nothing until the module is loaded, after the first key or press. */
export function LazyDictation() {
  const loaded = dictation.use();
  return typeof loaded === "object" && <loaded.DictationButton />;
}
