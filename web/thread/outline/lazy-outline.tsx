import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import { createLazyModule } from "#web/ui/lazy-module.ts";

export const threadOutline = createLazyModule(
  () => import("./thread-outline.tsx"),
  (module) => module,
  "thread",
);

/** About eight questions with their answers: more than a window shows. */
const longMessages = 16;

/** The outline of a long thread. */
export function LazyOutline() {
  const isLong = useAuiState((s) => s.thread.messages.length >= longMessages);
  const loaded = threadOutline.use();
  useEffect(() => {
    if (isLong) void threadOutline.load();
  }, [isLong]);
  return isLong && typeof loaded === "object" ? <loaded.ThreadOutline /> : null;
}
