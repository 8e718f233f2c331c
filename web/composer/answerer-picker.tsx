import { useNavigate } from "@tanstack/react-router";
import ChevronDown from "lucide-react/icons/chevron-down";
import Settings from "lucide-react/icons/settings-2";
import { Avatar } from "#web/ui/avatar.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import type { Answerer } from "./answerer.ts";
import styles from "./answerer-picker.module.css";

/** Who answers: one button for the assistant and its model. With nothing to choose there is nothing to see. */
export function AnswererPicker({ answerer }: { answerer: Answerer }) {
  const { assistants, models, isChoice, mayChange, assistant } = answerer;
  const navigate = useNavigate();
  const hasAssistants = assistants.length > 1;
  const items = (): MenuItem[] => [
    ...(hasAssistants ? assistantItems(answerer) : []),
    ...(models.length > 1 ? modelItems(answerer) : []),
    ...(mayChange
      ? [
          {
            section: t("answerer.more"),
            label: t("answerer.manage"),
            icon: Settings,
            onSelect: () => void navigate({ to: "/settings/assistants" }),
          },
        ]
      : []),
  ];
  if (!isChoice || assistant === undefined) return null;
  const model = models.find(({ id }) => id === answerer.model)?.name ?? "";
  const label = hasAssistants
    ? t("answerer.choose", { name: assistant.name, model })
    : t("model.choose", { name: model });
  return (
    <Menu label={t("answerer.label")} items={items}>
      <button type="button" aria-label={label} className={styles["picker"]}>
        {hasAssistants && (
          <>
            <Avatar look={assistant.avatar} />
            <bdi className={styles["assistant"]}>{assistant.name}</bdi>
          </>
        )}
        {models.length > 1 && (
          <bdi data-beside={hasAssistants || undefined} className={styles["model"]}>
            {model}
          </bdi>
        )}
        <Icon of={ChevronDown} size={14} />
      </button>
    </Menu>
  );
}

function assistantItems({ assistants, assistant, chooseAssistant }: Answerer): MenuItem[] {
  return assistants.map((one) => ({
    section: t("answerer.assistants"),
    label: one.name,
    leading: <Avatar look={one.avatar} />,
    checked: one.id === assistant?.id,
    onSelect: () => chooseAssistant(one.id),
  }));
}

function modelItems({ models, model, chooseModel }: Answerer): MenuItem[] {
  return models.map((one) => ({
    section: t("model.label"),
    label: one.name,
    checked: one.id === model,
    onSelect: () => chooseModel(one.id),
  }));
}

/** That something else answers than was chosen: said where one is about to write. */
export function GoneNote({ answerer }: { answerer: Answerer }) {
  const { gone, assistant, models, model } = answerer;
  if (gone === undefined || assistant === undefined) return null;
  const text =
    gone === "assistant"
      ? t("answerer.assistantGone", { name: assistant.name })
      : t("answerer.modelGone", {
          gone: gone.model,
          name: models.find(({ id }) => id === model)?.name ?? "",
        });
  return (
    <p role="status" className={styles["gone"]}>
      {text}
    </p>
  );
}
