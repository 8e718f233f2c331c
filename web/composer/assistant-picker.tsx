import Columns from "lucide-react/icons/columns-2";
import { idAtProvider } from "#contract/ids.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useNavigate } from "@tanstack/react-router";
import Brain from "lucide-react/icons/brain";
import ChevronDown from "lucide-react/icons/chevron-down";
import Star from "lucide-react/icons/star";
import Settings from "lucide-react/icons/settings-2";
import { Avatar } from "#web/ui/avatar.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { t } from "#web/i18n/translate.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import type { AssistantAndModel } from "./use-assistant-and-model.ts";
import { assistantItems, isLongList, mayAnswer, modelItems } from "./assistant-items.tsx";
import styles from "./assistant-picker.module.css";

/** A menu button for the assistant and the model. Hidden if there is only one of each. */
export function AssistantPicker({
  selection,
  onCompare,
}: {
  selection: AssistantAndModel;
  /** Opens the dialog in which people choose the models to compare. Absent where they cannot. */
  onCompare?: () => void;
}) {
  const { assistants, models, hasAlternatives, mayChange, assistant, isLocalOnly } = selection;
  const navigate = useNavigate();
  const hasAssistants = assistants.length > 1;
  const [favourites, setFavourites] = usePreference("favouriteModels");
  const isLong = isLongList(models);
  const current = models.find(({ id }) => id === selection.model);
  const items = (): MenuItem[] => [
    ...(hasAssistants
      ? assistantItems(selection, selection.chooseAssistant, {
          chosen: assistant?.id ?? "",
          isLocalOnly: selection.isLocalThread,
        })
      : []),
    ...(models.length > 1
      ? modelItems(models, selection.chooseModel, { chosen: selection.model ?? "", isLocalOnly })
      : []),
    ...(isLong && current !== undefined ? [favouriteItem(current, favourites, setFavourites)] : []),
    ...(models.length > 1 && onCompare !== undefined
      ? [
          {
            section: t("palette.more"),
            label: t("compare.open"),
            icon: Columns,
            onSelect: onCompare,
          },
        ]
      : []),
    ...(mayChange
      ? [
          {
            section: t("palette.more"),
            label: t("assistantPicker.manage"),
            icon: Settings,
            onSelect: () => void navigate({ to: "/settings/$page", params: { page: "assistants" } }),
          },
        ]
      : []),
  ];
  if (!hasAlternatives || assistant === undefined) return null;
  const model = current?.name ?? "";
  const label = hasAssistants
    ? t("assistantPicker.choose", { name: assistant.name, model })
    : t("model.choose", { name: model });
  return (
    <Menu
      label={t("assistantPicker.label")}
      items={items}
      filter={isLong ? t("assistantPicker.filter") : undefined}
    >
      <button type="button" data-picker aria-label={label} className={styles["picker"]}>
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

function favouriteItem(
  { id, name }: ModelInfo,
  favourites: readonly string[],
  change: (ids: readonly string[]) => void,
): MenuItem {
  const isFavourite = favourites.includes(id);
  return {
    section: t("palette.more"),
    label: t(isFavourite ? "model.removeFavourite" : "model.addFavourite", { name }),
    icon: Star,
    onSelect: () => change(isFavourite ? favourites.filter((other) => other !== id) : [...favourites, id]),
  };
}

/** A menu button for the reasoning effort. Hidden if the model has none. */
export function EffortPicker({
  selection: { models, model, effort, chooseEffort },
}: {
  selection: AssistantAndModel;
}) {
  const efforts = models.find(({ id }) => id === model)?.efforts ?? [];
  if (efforts.length === 0) return null;
  const choices = [null, ...efforts];
  const nameOf = (choice: (typeof choices)[number]) => t(`effort.${choice ?? "default"}`);
  const chosen = efforts.find((choice) => choice === effort) ?? null;
  return (
    <Menu
      label={t("effort.label")}
      items={() =>
        choices.map((choice) => ({
          section: t("effort.label"),
          label: nameOf(choice),
          checked: choice === chosen,
          onSelect: () => chooseEffort(choice),
        }))
      }
    >
      <button
        type="button"
        aria-label={t("effort.choose", { name: nameOf(chosen) })}
        data-tip={t("effort.label")}
        className={styles["effort"]}
      >
        <Icon of={Brain} size={14} />
        {chosen !== null && <span>{nameOf(chosen)}</span>}
      </button>
    </Menu>
  );
}

/** Says which assistant or model answers in place of the selected one, and that the model may not answer here. */
export function SelectionNote({ selection }: { selection: AssistantAndModel }) {
  const { missing, assistant, models, model, isLocalOnly } = selection;
  const answering = models.find(({ id }) => id === model);
  if (assistant === undefined) return null;
  const name = answering?.name ?? "";
  const texts = [
    ...(missing === "assistant" ? [t("assistantPicker.assistantGone", { name: assistant.name })] : []),
    ...(typeof missing === "object"
      ? [t("assistantPicker.modelGone", { gone: idAtProvider(missing.model), name })]
      : []),
    ...(answering !== undefined && !mayAnswer(answering, isLocalOnly)
      ? [t("assistantPicker.modelNotLocal", { name })]
      : []),
  ];
  if (texts.length === 0) return null;
  return (
    <p role="status" className={styles["gone"]}>
      {texts.join(" ")}
    </p>
  );
}
