import { Link, useNavigate } from "@tanstack/react-router";
import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Copy from "lucide-react/icons/copy";
import LinkIcon from "lucide-react/icons/link";
import MessageSquare from "lucide-react/icons/message-square";
import Pencil from "lucide-react/icons/pencil";
import RotateCcw from "lucide-react/icons/rotate-ccw";
import Trash from "lucide-react/icons/trash-2";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import { useAssistantActions } from "#web/data/assistants/assistants.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { MenuButton } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { writeClipboard } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { useArea } from "./use-area.ts";
import styles from "./assistant-row.module.css";

/** An assistant in the list: a link to its form for people who can change it, else to a new chat with it. */
export function AssistantRow({
  assistant,
  model,
  mayChange,
  all,
  index,
}: {
  assistant: Assistant;
  model: string | undefined;
  mayChange: boolean;
  all: readonly Assistant[];
  index: number;
}) {
  const { id, name } = assistant;
  const area = useArea();
  const items = useItems(assistant, mayChange, all, index);
  const about = [model, ...assistant.starters.slice(0, 1)].filter(Boolean).join(" · ");
  const inside = (
    <>
      <Avatar look={assistant.avatar} size="medium" />
      <span className={styles["words"]}>
        <bdi className={styles["name"]}>{name}</bdi>
        {id === defaultAssistantId && <span className={styles["mark"]}>{t("assistants.default")}</span>}
        {about !== "" && <span className={styles["about"]}>{about}</span>}
      </span>
    </>
  );
  return (
    <li className={styles["row"]}>
      {mayChange ? (
        <Link to={`${area}/assistants/$assistantId`} params={{ assistantId: id }} className={styles["link"]}>
          {inside}
        </Link>
      ) : (
        <Link to="/" search={{ assistant: id }} className={styles["link"]}>
          {inside}
        </Link>
      )}
      <MenuButton label={t("assistants.actions", { name })} tip={t("message.actions")} items={() => items} />
    </li>
  );
}

function useItems(
  assistant: Assistant,
  mayChange: boolean,
  all: readonly Assistant[],
  index: number,
): MenuItem[] {
  const navigate = useNavigate();
  const area = useArea();
  const actions = useAssistantActions();
  const { id, name } = assistant;
  const attempt = (action: Promise<unknown>, done?: () => void) => void action.then(done, showFailure);
  const move = (to: number) => {
    const ids = all.map((one) => one.id).filter((one) => one !== id);
    ids.splice(to, 0, id);
    attempt(actions.reorder(ids));
  };
  const remove = (doneText: string) =>
    attempt(actions.remove(id), () =>
      showToast(doneText, { action: { label: t("action.undo"), run: () => attempt(actions.restore(id)) } }),
    );

  const forAll: MenuItem[] = [
    {
      label: t("assistants.chat"),
      icon: MessageSquare,
      onSelect: () => void navigate({ to: "/", search: { assistant: id } }),
    },
    {
      label: t("assistants.link"),
      icon: LinkIcon,
      onSelect: () =>
        void writeClipboard(`${location.origin}/?assistant=${encodeURIComponent(id)}`).then((isCopied) =>
          showToast(t(isCopied ? "assistants.linkCopied" : "action.copyFailed")),
        ),
    },
  ];
  if (!mayChange) return forAll;
  const items: MenuItem[] = [
    {
      label: t("action.edit"),
      icon: Pencil,
      onSelect: () => void navigate({ to: `${area}/assistants/$assistantId`, params: { assistantId: id } }),
    },
    ...forAll,
    {
      label: t("assistants.duplicate"),
      icon: Copy,
      onSelect: () =>
        attempt(
          actions.duplicate(id, cutText(t("assistants.copyOf", { name }), limits.assistantNameCharacters)),
        ),
    },
  ];
  if (index > 0) items.push({ label: t("assistants.up"), icon: ArrowUp, onSelect: () => move(index - 1) });
  if (index < all.length - 1)
    items.push({ label: t("assistants.down"), icon: ArrowDown, onSelect: () => move(index + 1) });
  if (id !== defaultAssistantId)
    items.push({
      label: t("action.delete"),
      icon: Trash,
      tone: "danger",
      onSelect: () => remove(t("assistants.deleted", { name })),
    });
  else if (assistant.is_changed)
    items.push({
      label: t("assistants.reset"),
      icon: RotateCcw,
      tone: "danger",
      onSelect: () => remove(t("assistants.wasReset", { name })),
    });
  return items;
}
