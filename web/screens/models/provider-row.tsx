import { Link, useNavigate } from "@tanstack/react-router";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Pencil from "lucide-react/icons/pencil";
import Trash from "lucide-react/icons/trash-2";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { providerKinds } from "#contract/provider-kinds.ts";
import { useProviderActions } from "#web/data/assistants/providers.ts";
import type { Confirmation } from "#web/ui/confirm.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { problemText } from "./problem-text.ts";
import styles from "./provider-row.module.css";

/** A provider in the list, with its state. That of the environment has no actions; if it is Ollama, it has a page. */
export function ProviderRow({
  provider,
  all,
  confirm,
}: {
  provider: ProviderInfo;
  all: readonly ProviderInfo[];
  confirm(confirmation: Confirmation): void;
}) {
  const { id, kind, name, from_environment: isFixed } = provider;
  const items = useItems(provider, all, confirm);
  const kindName = kind === "openai-compatible" ? t("provider.compatible") : providerKinds[kind].name;
  const inside = (
    <span className={styles["words"]}>
      <bdi className={styles["name"]}>{name}</bdi>
      {kindName !== name && <bdi className={styles["mark"]}>{kindName}</bdi>}
      {isFixed && <span className={styles["mark"]}>{t("providers.environment")}</span>}
      <span className={styles["state"]} data-state={provider.state}>
        {stateOf(provider)}
      </span>
    </span>
  );
  return (
    <li className={styles["row"]}>
      {isFixed && kind !== "ollama" ? (
        <div className={styles["link"]}>{inside}</div>
      ) : (
        <Link to="/settings/models/$providerId" params={{ providerId: id }} className={styles["link"]}>
          {inside}
        </Link>
      )}
      {!isFixed && (
        <MenuButton
          label={t("assistants.actions", { name })}
          tip={t("message.actions")}
          items={() => items}
        />
      )}
    </li>
  );
}

function stateOf({ state, problem, models, listed, default_model: defaultModel }: ProviderInfo): string {
  if (state === "key-needed") return t("providers.keyNeeded");
  if (problem !== null) return problemText(problem);
  const count = models?.length ?? listed.length;
  const offered = t("providers.models", { count });
  if (defaultModel === null) return offered;
  return t("providers.modelsAndDefault", { offered, model: nameOf(defaultModel, models ?? listed) });
}

function nameOf(id: string, models: readonly { id: string; name: string }[]): string {
  return models.find((model) => model.id === id)?.name || id;
}

function useItems(
  { id, name }: ProviderInfo,
  all: readonly ProviderInfo[],
  confirm: (confirmation: Confirmation) => void,
): MenuItem[] {
  const navigate = useNavigate();
  const actions = useProviderActions();
  const ids = all.filter(({ from_environment: isFixed }) => !isFixed).map((one) => one.id);
  const index = ids.indexOf(id);
  const move = (to: number) => {
    const moved = ids.filter((one) => one !== id);
    moved.splice(to, 0, id);
    actions.reorder(moved).catch(showFailure);
  };
  const items: MenuItem[] = [
    {
      label: t("action.edit"),
      icon: Pencil,
      onSelect: () => void navigate({ to: "/settings/models/$providerId", params: { providerId: id } }),
    },
  ];
  if (index > 0) items.push({ label: t("assistants.up"), icon: ArrowUp, onSelect: () => move(index - 1) });
  if (index < ids.length - 1)
    items.push({ label: t("assistants.down"), icon: ArrowDown, onSelect: () => move(index + 1) });
  items.push({
    label: t("providers.remove"),
    icon: Trash,
    tone: "danger",
    onSelect: () =>
      confirm({
        text: t("providers.removeAsk", { name }),
        label: t("providers.remove"),
        async run() {
          await actions.remove(id);
          return t("providers.removed", { name });
        },
      }),
  });
  return items;
}
