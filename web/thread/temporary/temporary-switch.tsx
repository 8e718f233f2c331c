import { useNavigate, useSearch } from "@tanstack/react-router";
import MessageCircleDashed from "lucide-react/icons/message-circle-dashed";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./temporary-switch.module.css";

/** Makes a new chat temporary, or an ordinary one again. */
export function TemporarySwitch() {
  const { temporary, assistant } = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = {
    ...(assistant === undefined ? {} : { assistant }),
    ...(temporary === "true" ? {} : { temporary: "true" as const }),
  };
  return (
    <IconButton
      icon={MessageCircleDashed}
      label={t("temporary.title")}
      className={styles["switch"]}
      aria-pressed={temporary === "true"}
      onClick={() => void navigate({ to: "/", search, replace: true }).then(focusComposer)}
    />
  );
}
