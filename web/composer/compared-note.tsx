import Columns from "lucide-react/icons/columns-2";
import X from "lucide-react/icons/x";
import { Icon } from "#web/ui/icon.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";
import styles from "./compared-note.module.css";

/** Says that several models answer the next message. */
export function ComparedNote({ selection }: { selection: AssistantAndModel }) {
  const { compared, notCompared, models } = selection;
  if (compared === undefined && notCompared.length === 0) return null;
  const namesOf = (ids: readonly string[]) =>
    ids.map((id) => models.find((model) => model.id === id)?.name ?? id).join(" · ");
  return (
    <p className={styles["note"]}>
      <Icon of={Columns} size={14} />
      <span>
        {compared !== undefined && (
          <>
            {t(compared.isBlind ? "compare.noteBlind" : "compare.note", { count: compared.models.length })}{" "}
            <bdi>{namesOf(compared.models)}</bdi>{" "}
          </>
        )}
        {notCompared.length > 0 && (
          <>
            {t("compare.notLocal")} <bdi>{namesOf(notCompared)}</bdi>
          </>
        )}
      </span>
      <IconButton
        icon={X}
        size={14}
        label={t("compare.cancel")}
        onClick={() => selection.compare(undefined)}
      />
    </p>
  );
}
