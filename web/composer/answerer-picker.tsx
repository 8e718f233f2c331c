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
import { printNumber, t } from "#web/i18n/translate.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import type { Answerer } from "./answerer.ts";
import styles from "./answerer-picker.module.css";

/** More models than this cannot be seen at a glance. */
const unfilteredMax = 8;

/** A menu button for the assistant and the model. Hidden if there is only one of each. */
export function AnswererPicker({ answerer }: { answerer: Answerer }) {
  const { assistants, models, hasAlternatives, mayChange, assistant } = answerer;
  const navigate = useNavigate();
  const hasAssistants = assistants.length > 1;
  const [favourites, setFavourites] = usePreference("favouriteModels");
  const [recent] = usePreference("recentModels");
  const isLong = models.length > unfilteredMax;
  const current = models.find(({ id }) => id === answerer.model);
  const items = (): MenuItem[] => [
    ...(hasAssistants ? assistantItems(answerer) : []),
    ...(models.length > 1 ? modelItems(answerer, { favourites, recent: isLong ? recent : [] }) : []),
    ...(isLong && current !== undefined ? [favouriteItem(current, favourites, setFavourites)] : []),
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
  const model = current?.name ?? "";
  const label = hasAssistants
    ? t("answerer.choose", { name: assistant.name, model })
    : t("model.choose", { name: model });
  return (
    <Menu label={t("answerer.label")} items={items} filter={isLong ? t("answerer.filter") : undefined}>
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

function modelItems(
  { models, model, chooseModel }: Answerer,
  { favourites, recent }: { favourites: readonly string[]; recent: readonly string[] },
): MenuItem[] {
  const connected = new Set(models.map(({ provider }) => provider).filter((id) => id !== "builtin"));
  const secondaryOf = (entry: ModelInfo) =>
    [
      connected.size > 1 ? entry.provider_name : "",
      ...factsOf(entry),
      idAtProvider(entry.id) === entry.name ? "" : idAtProvider(entry.id),
    ]
      .filter((text) => text !== "")
      .join(" · ");
  const rankOf = ({ id }: ModelInfo) => (favourites.includes(id) ? 0 : recent.includes(id) ? 1 : 2);
  const sections = [t("model.favourites"), t("model.recent"), t("model.label")];
  return models
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((entry) => ({
      section: sections[rankOf(entry)]!,
      label: entry.name,
      secondary: secondaryOf(entry) || undefined,
      checked: entry.id === model,
      onSelect: () => chooseModel(entry.id),
    }));
}

/** Its context and its prices, as far as they are known. */
function factsOf({ context_tokens: contextTokens, prices }: ModelInfo): string[] {
  return [
    contextTokens === null ? "" : t("model.context", { tokens: shortNumber(contextTokens) }),
    prices === null
      ? ""
      : t("model.prices", { input: printNumber(prices.input), output: printNumber(prices.output) }),
  ];
}

/** 200000 is 200K, and 1048576 is 1M. */
function shortNumber(count: number): string {
  return count < 1_000_000 ? `${Math.round(count / 1000)}K` : `${Math.round(count / 100_000) / 10}M`;
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
export function EffortPicker({ answerer: { models, model, effort, chooseEffort } }: { answerer: Answerer }) {
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
