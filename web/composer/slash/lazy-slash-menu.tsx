import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import { loadScreenStrings } from "#web/i18n/load-language.ts";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";

export const slashMenu = createLazyModule(
  () => import("./slash-menu.tsx"),
  (module) => module,
  loadScreenStrings,
);

/** The commands and prompts, while the draft begins with `/`. If they do not load, the text is an ordinary message. */
export function LazySlashMenu({ selection }: { selection: AssistantAndModel }) {
  const loaded = slashMenu.use();
  const isCommand = useAuiState((s) => s.composer.text.startsWith("/"));
  useEffect(() => {
    if (isCommand) void slashMenu.load();
  }, [isCommand]);
  if (!isCommand || loaded === undefined || loaded === "failed") return null;
  return <loaded.SlashMenu selection={selection} />;
}
