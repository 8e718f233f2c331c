import { useEffect } from "react";
import Ellipsis from "lucide-react/icons/ellipsis";
import { IconButton } from "#web/ui/button.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { t } from "#web/i18n/translate.ts";

export const messageMenu = createLazyModule(
  () => import("./message-menu.tsx"),
  (module) => module,
  "thread",
);

/** The menu of a message, which is loaded when the first message is shown. Until then its button keeps its place. */
export function LazyMessageMenu({ role }: { role: "user" | "assistant" }) {
  const loaded = messageMenu.use();
  useEffect(() => void messageMenu.load(), []);
  return typeof loaded === "object" ? (
    <loaded.MessageMenu role={role} />
  ) : (
    <IconButton icon={Ellipsis} label={t("message.menu")} disabled />
  );
}
