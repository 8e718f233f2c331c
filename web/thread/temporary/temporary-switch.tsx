import { useNavigate, useSearch } from "@tanstack/react-router";
import MessageCircleDashed from "lucide-react/icons/message-circle-dashed";
import { focusComposer } from "#web/composer/focus-composer.ts";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./temporary-switch.module.css";

/** Makes a new chat temporary, or an ordinary one again. Only then does it take along what was not sent. */
export function TemporarySwitch({ onSwitch }: { onSwitch(on: boolean): void }) {
  const isOn = useSearch({ strict: false }).temporary === "true";
  const navigate = useNavigate();
  return (
    <IconButton
      icon={MessageCircleDashed}
      label={t("temporary.title")}
      className={styles["switch"]}
      aria-pressed={isOn}
      onClick={() => {
        onSwitch(!isOn);
        void navigate({
          to: "/",
          search: ({ temporary: _, ...rest }) => (isOn ? rest : { ...rest, temporary: "true" }),
          replace: true,
        }).then(focusComposer);
      }}
    />
  );
}
