import { useRef, useState } from "react";
import { useParams } from "@tanstack/react-router";
import Hand from "lucide-react/icons/hand";
import Users from "lucide-react/icons/users";
import ShieldCheck from "lucide-react/icons/shield-check";
import type { Thread } from "#contract/endpoints/threads.ts";
import { isOfOthers } from "#web/data/threads/thread-list.ts";
import { RenameField } from "#web/sidebar/rename-field.tsx";
import { titleOf, useThreadCommands } from "#web/sidebar/row-actions.ts";
import { threadMenu } from "#web/sidebar/thread-menu.ts";
import { openShareDialog } from "#web/ui/open-thread-dialog.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Menu, MenuButton } from "#web/ui/menu/menu.tsx";
import { t } from "#web/i18n/translate.ts";
import { LazyOutline } from "#web/thread/outline/lazy-outline.tsx";
import { LazyTemporary } from "#web/thread/temporary/lazy-temporary.tsx";
import { TemporarySwitch } from "#web/thread/temporary/temporary-switch.tsx";
import { TopBar } from "./top-bar.tsx";
import styles from "./thread-bar.module.css";

/** The bar above a thread with its title and menu. `onSwitch`: the new chat becomes a temporary one, or an ordinary one. */
export function ThreadBar({ thread, onSwitch }: { thread: Thread | undefined; onSwitch(on: boolean): void }) {
  const commands = useThreadCommands();
  const [isRenaming, setRenaming] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const titleButton = useRef<HTMLButtonElement>(null);
  /** The button that began the renaming. It exists again afterwards. */
  const startedBy = useRef(menu);
  const { threadId } = useParams({ strict: false });
  if (thread === undefined)
    return <TopBar>{threadId === undefined && <TemporarySwitch onSwitch={onSwitch} />}</TopBar>;
  if (thread.temporary_until !== null)
    return (
      <TopBar title={<LazyTemporary part="Title" thread={thread} />}>
        <LazyOutline />
      </TopBar>
    );
  const title = titleOf(thread);
  const renameFrom = (button: typeof menu) => () => {
    startedBy.current = button;
    setRenaming(true);
  };
  if (isRenaming) {
    return (
      <TopBar
        title={
          <RenameField
            title={thread.title ?? ""}
            onDone={(next) => {
              setRenaming(false);
              if (next !== undefined) commands.rename(thread, next);
            }}
            restoreFocus={() => startedBy.current.current?.focus()}
          />
        }
      />
    );
  }
  const people = thread.sharing !== undefined && (
    <IconButton
      icon={Users}
      label={t("share.peopleIn")}
      onClick={() => openShareDialog(thread.id, isOfOthers(thread))}
    />
  );
  if (isOfOthers(thread))
    return (
      <TopBar
        title={
          <h1 dir="auto" className={styles["others"]}>
            {title}
          </h1>
        }
      >
        <LazyOutline />
        {people}
      </TopBar>
    );
  return (
    <TopBar
      title={
        <h1 className={styles["heading"]}>
          <button
            ref={titleButton}
            type="button"
            dir="auto"
            data-tip={t("thread.rename")}
            data-untitled={thread.title === null || undefined}
            className={styles["title"]}
            onClick={renameFrom(titleButton)}
          >
            {title}
          </button>
        </h1>
      }
    >
      <LazyOutline />
      <AllowedTools thread={thread} />
      {people}
      <MenuButton
        ref={menu}
        label={t("thread.actions", { title })}
        tip={t("message.actions")}
        items={() => threadMenu(thread, commands, renameFrom(menu))}
      />
    </TopBar>
  );
}

/** A menu of the tools that are always allowed in this thread. Each one can be revoked. */
function AllowedTools({ thread }: { thread: Thread }) {
  const commands = useThreadCommands();
  const names = thread.allowed_tools;
  const label = t("ask.allowedTools", { count: names.length });
  if (names.length === 0) return null;
  const items = () =>
    names.map((name) => ({
      label: t("ask.askAgain", { name }),
      icon: Hand,
      onSelect: () => commands.askAgain(thread, name),
    }));
  return (
    <Menu label={label} items={items} align="end">
      <IconButton icon={ShieldCheck} label={label} />
    </Menu>
  );
}
