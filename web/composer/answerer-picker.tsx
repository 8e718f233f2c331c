import { idAtProvider } from "#contract/ids.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
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

/** More models than this cannot be seen at a glance. */
const unfilteredMax = 8;

/** A menu button for the assistant and the model. Hidden if there is only one of each. */
export function AnswererPicker({ answerer }: { answerer: Answerer }) {
  const { assistants, models, hasAlternatives, mayChange, assistant } = answerer;
  const navigate = useNavigate();
  const hasAssistants = assistants.length > 1;
  const items = (): MenuItem[] => [
    ...(hasAssistants ? assistantItems(answerer) : []),
    ...(models.length > 1 ? modelItems(answerer) : []),
    ...(mayChange
      ? [
          {
            section: t("palette.more"),
            label: t("answerer.manage"),
            icon: Settings,
            onSelect: () => void navigate({ to: "/settings/$page", params: { page: "assistants" } }),
          },
        ]
      : []),
  ];
  if (!hasAlternatives || assistant === undefined) return null;
  const model = models.find(({ id }) => id === answerer.model)?.name ?? "";
  const label = hasAssistants
    ? t("answerer.choose", { name: assistant.name, model })
    : t("model.choose", { name: model });
  return (
    <Menu
      label={t("answerer.label")}
      items={items}
      filter={models.length > unfilteredMax ? t("answerer.filter") : undefined}
    >
      <button type="button" aria-label={label} className={styles["picker"]}>
        {hasAssistants && <Avatar look={assistant.avatar} />}
        <span className={styles["names"]}>
          {hasAssistants && <bdi className={styles["assistant"]}>{assistant.name}</bdi>}
          {models.length > 1 && (
            <bdi data-secondary={hasAssistants || undefined} className={styles["model"]}>
              {model}
            </bdi>
          )}
        </span>
        <Icon of={ChevronDown} size={14} />
      </button>
    </Menu>
  );
}

function assistantItems({ assistants, assistant, chooseAssistant }: Answerer): MenuItem[] {
  return assistants.map((entry) => ({
    section: t("answerer.assistants"),
    label: entry.name,
    leading: <Avatar look={entry.avatar} />,
    checked: entry.id === assistant?.id,
    onSelect: () => chooseAssistant(entry.id),
  }));
}

function modelItems({ models, model, chooseModel }: Answerer): MenuItem[] {
  const connected = new Set(models.map(({ provider }) => provider).filter((id) => id !== "builtin"));
  const secondaryOf = ({ id, name, provider_name: providerName }: ModelInfo) =>
    [connected.size > 1 ? providerName : "", idAtProvider(id) === name ? "" : idAtProvider(id)]
      .filter((text) => text !== "")
      .join(" · ");
  return models.map((entry) => ({
    section: t("model.label"),
    label: entry.name,
    secondary: secondaryOf(entry) || undefined,
    checked: entry.id === model,
    onSelect: () => chooseModel(entry.id),
  }));
}

/** Says that another assistant or model answers, because the selected one no longer exists. */
export function ReplacementNote({ answerer }: { answerer: Answerer }) {
  const { missing, assistant, models, model } = answerer;
  if (missing === undefined || assistant === undefined) return null;
  const text =
    missing === "assistant"
      ? t("answerer.assistantGone", { name: assistant.name })
      : t("answerer.modelGone", {
          gone: idAtProvider(missing.model),
          name: models.find(({ id }) => id === model)?.name ?? "",
        });
  return (
    <p role="status" className={styles["gone"]}>
      {text}
    </p>
  );
}
