import { useEffect } from "react";
import { useAuiState } from "@assistant-ui/react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import type { AssistantAndModel } from "../use-assistant-and-model.ts";

export const slashMenu = createLazyModule(
  () => import("./menus-bundle.ts"),
  (module) => module,
  "composer",
);

/**
 * The commands and prompts, while the draft begins with `/`, and what can be mentioned, while it has an `@`. If they do not
 * load, the text is an ordinary message.
 */
export function LazySlashMenu({ selection }: { selection: AssistantAndModel }) {
  const loaded = slashMenu.use();
  const sign = useAuiState((s) => /^\/|@/.exec(s.composer.text)?.[0]);
  useEffect(() => {
    if (sign !== undefined) void slashMenu.load();
  }, [sign]);
  if (sign === undefined || loaded === undefined || loaded === "failed") return null;
  return sign === "/" ? (
    <loaded.SlashMenu selection={selection} />
  ) : (
    <loaded.MentionMenu selection={selection} />
  );
}
