import ChevronDown from "lucide-react/icons/chevron-down";
import type { ModelInfo } from "#contract/models.ts";
import { Icon } from "#web/ui/icon.tsx";
import { useMenuTrigger } from "#web/ui/menu.tsx";
import { t } from "#web/words/words.ts";
import styles from "./model-picker.module.css";

/** The models that can be chosen, which one is, and how to choose another. */
export type ModelChoice = {
  models: readonly ModelInfo[];
  /** There is more than one; known from the last visit before the models are. */
  isChoice: boolean;
  chosen: string | undefined;
  choose(model: string): void;
};

/** Which model answers. With one model there is nothing to choose and nothing to see. */
export function ModelPicker({ choice }: { choice: ModelChoice }) {
  const { models, isChoice, chosen, choose } = choice;
  const { triggerProps } = useMenuTrigger(t("model.label"), () =>
    models.map((model) => ({
      label: model.name,
      checked: model.id === chosen,
      onSelect: () => choose(model.id),
    })),
  );
  if (!isChoice || models.length === 0) return null;
  const name = models.find((model) => model.id === chosen)?.name ?? chosen ?? "";
  return (
    <button
      type="button"
      aria-label={t("model.choose", { name })}
      className={styles["picker"]}
      {...triggerProps}
    >
      <span className={styles["name"]}>{name}</span>
      <Icon of={ChevronDown} size={14} />
    </button>
  );
}
