import { Link } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./settings-link.module.css";

/** A link from the settings to the assistants. Hidden if there is nothing to select or change. */
export function AssistantsLink() {
  const { assistants, mayChange } = useAssistants();
  if (!mayChange && assistants.length <= 1) return null;
  return (
    <section>
      <Link to="/settings/assistants" className={styles["link"]}>
        <span className={styles["words"]}>
          <span className={styles["title"]}>{t("assistants.title")}</span>
          <span className={styles["about"]}>{t("assistants.count", { count: assistants.length })}</span>
        </span>
        <span className={styles["faces"]}>
          {assistants.slice(0, 4).map(({ id, avatar }) => (
            <Avatar key={id} look={avatar} />
          ))}
        </span>
        <Icon of={ChevronRight} size={16} />
      </Link>
    </section>
  );
}
