import { useState } from "react";
import { limits } from "#contract/limits.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import { Button } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { t } from "#web/i18n/translate.ts";
import { mayAnswer } from "./assistant-items.tsx";
import styles from "./compare-dialog.module.css";

/** Chooses the models that answer the next message side by side. */
export function CompareDialog({
  models,
  isLocalOnly,
  chosenAtFirst,
  onChoose,
  onClose,
}: {
  models: readonly ModelInfo[];
  /** Others than local models cannot be chosen. */
  isLocalOnly: boolean;
  chosenAtFirst: readonly string[];
  onChoose(compared: ComparedModels): void;
  onClose(): void;
}) {
  const isAllowedId = (id: string) =>
    models.every((model) => model.id !== id || mayAnswer(model, isLocalOnly));
  const [chosen, setChosen] = useState<readonly string[]>(() => chosenAtFirst.filter(isAllowedId));
  const [isBlind, setBlind] = useState(false);
  const isFull = chosen.length >= limits.comparedMax;
  const toggle = (id: string) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Dialog label={t("compare.title")} className={styles["dialog"]} onClose={onClose}>
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen.length >= 2) onChoose({ models: chosen, isBlind });
        }}
      >
        <h2 className="text-4 bold">{t("compare.title")}</h2>
        <p className={styles["hint"]}>{t("compare.hint")}</p>
        <fieldset className={styles["models"]}>
          <legend className="visually-hidden">{t("compare.title")}</legend>
          {models.map((model) => {
            const { id, name, provider_name: provider } = model;
            const isAllowed = mayAnswer(model, isLocalOnly);
            const isOff = !isAllowed || (isFull && !chosen.includes(id));
            return (
              <label key={id} data-off={isOff || undefined} className={styles["model"]}>
                <input
                  type="checkbox"
                  checked={chosen.includes(id)}
                  disabled={isOff}
                  onChange={() => toggle(id)}
                />
                <bdi>{name}</bdi>
                {!isAllowed ? (
                  <span className={styles["provider"]}>{t("model.notLocal")}</span>
                ) : (
                  provider !== name && <bdi className={styles["provider"]}>{provider}</bdi>
                )}
              </label>
            );
          })}
        </fieldset>
        <label className={styles["model"]}>
          <input type="checkbox" checked={isBlind} onChange={() => setBlind(!isBlind)} />
          {t("compare.blind")}
        </label>
        <div className="flex to-end gap-2">
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <Button type="submit" look="strong" disabled={chosen.length < 2}>
            {t("compare.do")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
