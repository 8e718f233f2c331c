import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import MessageSquare from "lucide-react/icons/message-square";
import MessagesSquare from "lucide-react/icons/messages-square";
import Paperclip from "lucide-react/icons/paperclip";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import type { LucideIcon } from "lucide-react";
import { placeSearch, type Place } from "#contract/places.ts";
import { type Searched, useSearch } from "#web/data/search/search.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { isTooLong, tooLong } from "#web/search/too-long.ts";
import { placeOf } from "#web/search/hit-location.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { useSettled } from "#web/lib/use-debounced-value.ts";
import { titleOf } from "#web/sidebar/thread-actions.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { useActions } from "./actions.ts";
import styles from "./palette.module.css";

/** 100 ms: quicker than the search screen, for little is shown. */
const typingMs = 100;
const recentMax = 6;
const titlesMax = 6;
const messagesMax = 5;
const filesMax = 4;

type Entry = {
  key: string;
  icon: LucideIcon;
  label: ReactNode;
  beside?: ReactNode;
  keys?: string | undefined;
  run(): void;
};
type Group = { name: string; entries: Entry[] };

/** Ctrl/Cmd+K: threads, messages and everything that can be done, by a few letters of it. */
export function Palette({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState("");
  // What arrow keys or the pointer chose; else it is the first.
  const [chosen, setChosen] = useState<string>();
  // Enter was pressed before the answer to these letters came.
  const [isMeant, setMeant] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { groups, isBehind } = useGroups(typed);
  const entries = groups.flatMap((group) => group.entries);
  const chosenAt = entries.findIndex(({ key }) => key === chosen);
  const active = chosenAt === -1 ? Math.min(0, entries.length - 1) : chosenAt;

  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const runFirst = useEffectEvent(() => {
    setMeant(false);
    run(entries[0]);
  });
  useEffect(() => {
    if (isMeant && !isBehind) runFirst();
  }, [isMeant, isBehind]);

  const choose = (at: number) => {
    setChosen(entries[at]?.key);
    setMeant(false);
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    if (event.key === "ArrowDown") choose(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") choose(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") {
      if (isBehind && chosenAt === -1) setMeant(true);
      else run(entries[active]);
    } else return;
    event.preventDefault();
  };
  let number = -1;
  return (
    <Dialog label={t("palette.label")} onClose={onClose}>
      <div className={styles["field"]}>
        <Icon of={Search} />
        <input
          // Whoever opens the palette writes at once.
          autoFocus
          type="text"
          dir={typed === "" ? undefined : "auto"}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-label={t("palette.field")}
          placeholder={t("palette.placeholder")}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(undefined);
            setMeant(false);
          }}
          onKeyDown={onKey}
        />
        {/* Fingers have no Escape, and on a narrow page there is nothing beside the box to press. */}
        <IconButton icon={X} label={t("palette.close")} className={styles["close"]} onClick={onClose} />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={t("palette.label")}
        className={styles["list"]}
      >
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name} className={styles["group"]}>
            <div aria-hidden className={styles["name"]}>
              {group.name}
            </div>
            {group.entries.map((entry) => {
              const mine = ++number;
              return (
                // The field keeps the focus and moves the choice.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
                <div
                  key={entry.key}
                  id={`${id}-${mine}`}
                  role="option"
                  aria-selected={mine === active}
                  className={styles["entry"]}
                  onPointerMove={() => choose(mine)}
                  onClick={() => run(entry)}
                >
                  <Icon of={entry.icon} size={16} />
                  <span className={styles["label"]}>{entry.label}</span>
                  {entry.beside !== undefined && <span className={styles["beside"]}>{entry.beside}</span>}
                  {entry.keys !== undefined && (
                    <kbd aria-hidden dir="ltr">
                      {entry.keys}
                    </kbd>
                  )}
                </div>
              );
            })}
          </div>
        ))}
        {entries.length === 0 && (
          <p className={styles["none"]}>{isTooLong(typed) ? tooLong(typed) : t("palette.none")}</p>
        )}
      </div>
    </Dialog>
  );
}

/**
 * What is offered for what is typed; for nothing, what was used last and everything that can be done. `isBehind`: what
 * will stand first is not known yet.
 */
function useGroups(typed: string): { groups: Group[]; isBehind: boolean } {
  const navigate = useNavigate();
  const wanted = useSettled(typed, typingMs);
  const { threads } = useThreadList("regular");
  const titles = useSearch(wanted, { kind: "title", limit: titlesMax });
  const messages = useSearch(wanted.trim().length > 1 ? wanted : "", { kind: "message", limit: messagesMax });
  const files = useSearch(wanted.trim().length > 1 ? wanted : "", { kind: "file", limit: filesMax });
  const isBlank = typed.trim() === "";
  const open = ({ threadId, ...place }: Place) =>
    void navigate({ to: "/t/$threadId", params: { threadId }, search: placeSearch(place) });

  const recent = threads.slice(0, recentMax).map((thread) => ({
    key: thread.id,
    icon: MessageSquare,
    label: <span dir="auto">{titleOf(thread)}</span>,
    run: () => open({ threadId: thread.id }),
  }));
  const titled = titles.hits.map((hit) => ({
    key: hit.thread_id,
    icon: MessageSquare,
    label: <Excerpt pieces={hit.excerpt} />,
    run: () => open(placeOf(hit)),
  }));
  const said = messages.hits.map((hit) => ({
    key: hit.message_id ?? "",
    icon: MessagesSquare,
    label: <Excerpt pieces={hit.excerpt} />,
    beside: <span dir="auto">{titleOf(hit)}</span>,
    run: () => open(placeOf(hit)),
  }));
  const attached = files.hits.flatMap((hit) =>
    hit.file === null
      ? []
      : {
          key: hit.file.id,
          icon: Paperclip,
          label: <Excerpt pieces={hit.file.marked_name} />,
          beside: <span dir="auto">{titleOf(hit)}</span>,
          run: () => open(placeOf(hit)),
        },
  );
  const everywhere = {
    key: "everywhere",
    icon: Search,
    label: t("palette.everywhere", { typed: typed.trim() }),
    run: () => void navigate({ to: "/search", search: { q: typed.trim() } }),
  };
  const actions = useActions().filter(({ label }) => isNamed(label, typed));
  const isFirstFound = titled.length > 0 || actions.length > 0;
  const isBehind =
    !isBlank &&
    (wanted !== typed ||
      isAwaited(titles) ||
      (!isFirstFound && (isAwaited(messages) || (said.length === 0 && isAwaited(files)))));
  const groups = [
    { name: t("palette.threads"), entries: isBlank ? recent : titled },
    { name: t("palette.actions"), entries: actions },
    { name: t("palette.messages"), entries: isBlank ? [] : said },
    { name: t("palette.attached"), entries: isBlank ? [] : attached },
    { name: t("palette.further"), entries: isBlank || isTooLong(typed) ? [] : [everywhere] },
  ].filter(({ entries }) => entries.length > 0);
  return { groups, isBehind };
}

function isAwaited({ isStale, state }: Searched): boolean {
  return isStale || state === "loading";
}

/** Whether each word that is typed begins one of the name's. */
function isNamed(name: string, typed: string): boolean {
  const words = name.toLocaleLowerCase().split(/\s+/);
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
