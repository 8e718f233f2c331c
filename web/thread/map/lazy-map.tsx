import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const threadMap = createLazyModule(
  () => import("./map.tsx"),
  (module) => module,
  loadScreenStrings,
);

/** About eight questions with their answers: more than a window shows. */
const longMessages = 16;

/** The map of a long thread. */
export function LazyMap() {
  const isLong = useAuiState((s) => s.thread.messages.length >= longMessages);
  const loaded = threadMap.use();
  useEffect(() => {
    if (isLong) void threadMap.load();
  }, [isLong]);
  return isLong && typeof loaded === "object" ? <loaded.ThreadMap /> : null;
}
