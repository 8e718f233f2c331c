import { useLabels } from "#web/data/labels/labels.ts";
import { labelChoices } from "#web/search/label-choices.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./search-screen.module.css";

/** More would push the results out of sight. */
const shownMax = 8;

/** Filters by tag and folder (`labelChoices`). */
export function LabelSuggestions({ typed, onChoose }: { typed: string; onChoose(text: string): void }) {
  const choices = labelChoices(typed, useLabels()) ?? [];
  if (choices.length === 0) return null;
  return (
    <div role="group" aria-label={t("search.labels")} className={styles["labels"]}>
      {choices.slice(0, shownMax).map(({ filter, text }) => (
        <Button key={filter} onClick={() => onChoose(text)}>
          <bdi>{filter}</bdi>
        </Button>
      ))}
    </div>
  );
}
