import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import MessageSquare from "lucide-react/icons/message-square";
import MessagesSquare from "lucide-react/icons/messages-square";
import Paperclip from "lucide-react/icons/paperclip";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import type { LucideIcon } from "lucide-react";
import { threadLinkSearch, type ThreadLink } from "#contract/thread-links.ts";
import { type SearchResults, useSearch } from "#web/data/search/search.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { isTooLong, tooLongMessage } from "#web/search/too-long.ts";
import { placeOf } from "#web/search/hit-location.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { titleOf } from "#web/sidebar/thread-actions.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import { type SettingsEntry, useActions } from "./actions.ts";
import styles from "./palette.module.css";

/** Shorter than on the search screen, because there are fewer results. */
const debounceMs = 100;
const recentMax = 6;
const titlesMax = 6;
const messagesMax = 5;
const filesMax = 4;

type Entry = {
  key: string;
  icon: LucideIcon;
  label: ReactNode;
  secondary?: ReactNode;
  keys?: string | undefined;
  run(): void;
};
type Group = { name: string; entries: Entry[] };

/** The command palette (Ctrl/⌘ K): finds threads, messages, files and actions by a few letters. */
export function Palette({
  settingsPages,
  initialText,
  onClose,
}: {
  settingsPages: readonly SettingsEntry[];
  initialText: string;
  onClose(): void;
}) {
  const [typed, setTyped] = useState(initialText);
  // Selected with the arrow keys or the pointer; otherwise the first entry is active.
  const [selectedKey, setSelectedKey] = useState<string>();
  // Enter was pressed before the results for the typed text arrived.
  const [isEnterPending, setEnterPending] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { groups, isPending } = useGroups(typed, settingsPages);
  const entries = groups.flatMap((group) => group.entries);
  const selectedIndex = entries.findIndex(({ key }) => key === selectedKey);
  const active = selectedIndex === -1 ? Math.min(0, entries.length - 1) : selectedIndex;

  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });

  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const runFirst = useEffectEvent(() => {
    setEnterPending(false);
    run(entries[0]);
  });
  useEffect(() => {
    if (isEnterPending && !isPending) runFirst();
  }, [isEnterPending, isPending]);

  const select = (index: number) => {
    setSelectedKey(entries[index]?.key);
    setEnterPending(false);
  };
  const onKey = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = entries.length - 1;
    if (event.key === "ArrowDown") select(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") select(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") {
      if (isPending && selectedIndex === -1) setEnterPending(true);
      else run(entries[active]);
    } else return;
    event.preventDefault();
  };
  let nextIndex = 0;
  return (
    <Dialog label={t("palette.label")} onClose={onClose}>
      <div className={styles["field"]}>
        <Icon of={Search} />
        <input
          // People open the palette to type.
          autoFocus
          type="text"
          dir={typed === "" ? undefined : "auto"}
          role="combobox"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-label={t("palette.field")}
          placeholder={t("palette.field")}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setSelectedKey(undefined);
            setEnterPending(false);
          }}
          onKeyDown={onKey}
        />
        {/* Touch screens have no Esc key, and on a narrow page the dialog leaves no backdrop to press. */}
        <IconButton icon={X} label={t("action.close")} className={styles["close"]} onClick={onClose} />
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
              const index = nextIndex++;
              return (
                // The field keeps the focus and handles the keys.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
                <div
                  key={entry.key}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  className={styles["entry"]}
                  onPointerMove={() => select(index)}
                  onClick={() => run(entry)}
                >
                  <Icon of={entry.icon} size={16} />
                  <span className={styles["label"]}>{entry.label}</span>
                  {entry.secondary !== undefined && (
                    <span className={styles["secondary"]}>{entry.secondary}</span>
                  )}
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
          <p className={styles["none"]}>{isTooLong(typed) ? tooLongMessage(typed) : t("palette.none")}</p>
        )}
      </div>
    </Dialog>
  );
}

/**
 * The entries for the typed text; without text, recent threads and all actions. `isPending`: the first entry is not
 * known yet.
 */
function useGroups(
  typed: string,
  settingsPages: readonly SettingsEntry[],
): { groups: Group[]; isPending: boolean } {
  const navigate = useNavigate();
  const query = useDebouncedValue(typed, debounceMs);
  const { threads } = useThreadList("regular");
  const titles = useSearch(query, { kind: "title", limit: titlesMax });
  const messages = useSearch(query.trim().length > 1 ? query : "", { kind: "message", limit: messagesMax });
  const files = useSearch(query.trim().length > 1 ? query : "", { kind: "file", limit: filesMax });
  const isBlank = typed.trim() === "";
  const open = ({ threadId, ...place }: ThreadLink) =>
    void navigate({ to: "/t/$threadId", params: { threadId }, search: threadLinkSearch(place) });

  const recent = threads.slice(0, recentMax).map((thread) => ({
    key: thread.id,
    icon: MessageSquare,
    label: <span dir="auto">{titleOf(thread)}</span>,
    run: () => open({ threadId: thread.id }),
  }));
  const titleEntries = titles.hits.map((hit) => ({
    key: hit.thread_id,
    icon: MessageSquare,
    label: <Excerpt pieces={hit.excerpt} />,
    run: () => open(placeOf(hit)),
  }));
  const messageEntries = messages.hits.map((hit) => ({
    key: hit.message_id ?? "",
    icon: MessagesSquare,
    label: <Excerpt pieces={hit.excerpt} />,
    secondary: <span dir="auto">{titleOf(hit)}</span>,
    run: () => open(placeOf(hit)),
  }));
  const attached = files.hits.flatMap((hit) =>
    hit.file === null
      ? []
      : {
          key: hit.file.id,
          icon: Paperclip,
          label: <Excerpt pieces={hit.file.marked_name} />,
          secondary: <span dir="auto">{titleOf(hit)}</span>,
          run: () => open(placeOf(hit)),
        },
  );
  const everywhere = {
    key: "everywhere",
    icon: Search,
    label: t("palette.everywhere", { typed: typed.trim() }),
    run: () => void navigate({ to: "/search", search: { q: typed.trim() } }),
  };
  const actions = useActions(isBlank ? [] : settingsPages).filter(({ label }) => matchesName(label, typed));
  const isFirstKnown = titleEntries.length > 0 || actions.length > 0;
  const isPending =
    !isBlank &&
    (query !== typed ||
      isLoading(titles) ||
      (!isFirstKnown && (isLoading(messages) || (messageEntries.length === 0 && isLoading(files)))));
  const groups = [
    { name: t("app.navigation"), entries: isBlank ? recent : titleEntries },
    { name: t("palette.actions"), entries: actions },
    { name: t("thread.messages"), entries: isBlank ? [] : messageEntries },
    { name: t("screen.files"), entries: isBlank ? [] : attached },
    { name: t("palette.more"), entries: isBlank || isTooLong(typed) ? [] : [everywhere] },
  ].filter(({ entries }) => entries.length > 0);
  return { groups, isPending };
}

function isLoading({ isStale, state }: SearchResults): boolean {
  return isStale || state === "loading";
}

/** Whether each typed word is the beginning of a word of the name. */
function matchesName(name: string, typed: string): boolean {
  const words = name.toLocaleLowerCase().split(/\s+/);
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
