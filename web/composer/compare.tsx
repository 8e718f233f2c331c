import { useEffect, useEffectEvent } from "react";
import Columns from "lucide-react/icons/columns-2";
import X from "lucide-react/icons/x";
import { Icon } from "#web/ui/icon.tsx";
import { IconButton } from "#web/ui/button.tsx";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { showLoadFailure } from "#web/ui/load-failure.ts";
import { t } from "#web/i18n/translate.ts";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";
import styles from "./compare.module.css";

const compareDialog = createLazyModule(
  () => import("./compare-dialog.tsx"),
  (module) => module.CompareDialog,
);

/** The dialog in which people choose the models to compare, loaded when it opens. */
export function Compare({ selection, onClose }: { selection: AssistantAndModel; onClose(): void }) {
  const CompareDialog = compareDialog.use();
  const onFailure = useEffectEvent(() => {
    onClose();
    void showLoadFailure(() => void compareDialog.load());
  });
  useEffect(() => void compareDialog.load().then((hasLoaded) => hasLoaded || onFailure()), []);
  if (CompareDialog === undefined || CompareDialog === "failed") return null;
  const { models, model, compared } = selection;
  return (
    <CompareDialog
      models={models}
      chosenAtFirst={compared?.models ?? (model === undefined ? [] : [model])}
      onChoose={(next) => {
        selection.compare(next);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** Says that several models answer the next message. */
export function ComparedNote({ selection }: { selection: AssistantAndModel }) {
  const { compared, models } = selection;
  if (compared === undefined) return null;
  const names = compared.models.map((id) => models.find((model) => model.id === id)?.name ?? id);
  return (
    <p className={styles["note"]}>
      <Icon of={Columns} size={14} />
      <span>
        {t(compared.isBlind ? "compare.noteBlind" : "compare.note", { count: names.length })}{" "}
        <bdi>{names.join(" · ")}</bdi>
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
