import { useEffect, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import Folder from "lucide-react/icons/folder";
import MessageSquare from "lucide-react/icons/message-square";
import MessagesSquare from "lucide-react/icons/messages-square";
import Paperclip from "lucide-react/icons/paperclip";
import Tag from "lucide-react/icons/tag";
import type { SearchHit } from "#contract/endpoints/search.ts";
import { threadLinkSearch, type ThreadLink } from "#contract/thread-links.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { useSearch, useThreadSearch } from "#web/data/search/search.ts";
import { useSession } from "#web/data/session/session.ts";
import { useThreadList } from "#web/data/threads/threads.ts";
import { labelChoices } from "#web/search/label-choices.ts";
import { linkOfHit } from "#web/search/hit-location.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { titleOf } from "#web/sidebar/row-actions.ts";
import { t } from "#web/i18n/translate.ts";
import type { LazyModule } from "#web/ui/lazy-module.ts";
import { type PageEntry, useActions } from "./actions.ts";
import type { EntryGroup } from "#web/ui/entry-list/entry-groups.tsx";
import { EntryDialog } from "./entry-dialog.tsx";
import { debounceMs, everywhereEntry } from "./everywhere-entry.ts";
import styles from "./palette.module.css";

const recentMax = 6;
const titlesMax = 6;
/** Threads whose messages match. */
const threadsMax = 5;
const filesMax = 4;
const labelsMax = 6;

/** The command palette (Ctrl/⌘ K): finds threads, messages, files and actions by a few letters. */
export function Palette({
  settingsPages,
  adminPages,
  initialText,
  onClose,
}: {
  settingsPages: readonly PageEntry[];
  adminPages: LazyModule<readonly PageEntry[]>;
  initialText: string;
  onClose(): void;
}) {
  const [typed, setTyped] = useState(initialText);
  const found = useGroups(typed, setTyped, settingsPages, useAdminPages(adminPages));
  return (
    <EntryDialog
      label={t("palette.label")}
      fieldLabel={t("palette.field")}
      typed={typed}
      onType={setTyped}
      onClose={onClose}
      {...found}
    />
  );
}

/** The pages of the administration, for those who see it in the sidebar. */
function useAdminPages(module: LazyModule<readonly PageEntry[]>): readonly PageEntry[] {
  const { me } = useSession();
  const isAdmin = me?.email !== null && me?.permissions.includes("people.manage") === true;
  const pages = module.use();
  useEffect(() => {
    if (isAdmin) void module.load();
  }, [isAdmin, module]);
  return isAdmin && pages !== undefined && pages !== "failed" ? pages : [];
}

/**
 * The entries for the typed text; without text, recent threads and all actions. `isPending`: the first entry is not
 * known yet.
 */
function useGroups(
  typed: string,
  onType: (text: string) => void,
  settingsPages: readonly PageEntry[],
  adminPages: readonly PageEntry[],
): { groups: EntryGroup[]; isPending: boolean } {
  const navigate = useNavigate();
  const query = useDebouncedValue(typed, debounceMs);
  const { threads } = useThreadList("regular");
  const labels = useLabels();
  const titles = useSearch(query, { kind: "title", limit: titlesMax });
  const messages = useThreadSearch(query.trim().length > 1 ? query : "", {
    kind: "message",
    limit: threadsMax,
  });
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
    run: () => open(linkOfHit(hit)),
  }));
  const messageEntries = messages.results.flatMap(({ hits: [newest], matches, ...thread }) =>
    newest === undefined
      ? []
      : {
          key: newest.message_id ?? "",
          icon: MessagesSquare,
          label: <TitleAndWords title={titleOf(thread)} hit={newest} />,
          ...(matches > 1 ? { secondary: t("search.count", { count: matches }) } : {}),
          run: () => open(linkOfHit(newest)),
        },
  );
  const attached = files.hits.flatMap((hit) =>
    hit.file === null
      ? []
      : {
          key: hit.file.id,
          icon: Paperclip,
          label: <Excerpt pieces={hit.file.marked_name} />,
          secondary: <span dir="auto">{titleOf(hit)}</span>,
          run: () => open(linkOfHit(hit)),
        },
  );
  const actions = useActions(isBlank ? [] : settingsPages, isBlank ? [] : adminPages).filter(({ label }) =>
    matchesName(label, typed),
  );
  const choices = (isBlank ? undefined : labelChoices(typed, labels)) ?? [];
  const filters = choices.slice(0, labelsMax).map(({ filter, text }) => ({
    key: filter,
    icon: filter.startsWith("in:") ? Folder : Tag,
    label: <bdi>{filter}</bdi>,
    isCompletion: true,
    run: () => onType(text),
  }));
  const isFirstKnown = titleEntries.length > 0 || actions.length > 0;
  const isPending =
    !isBlank &&
    filters.length === 0 &&
    (query !== typed ||
      isLoading(titles) ||
      (!isFirstKnown && (isLoading(messages) || (messageEntries.length === 0 && isLoading(files)))));
  const groups = [
    { name: t("search.labels"), entries: filters },
    { name: t("app.navigation"), entries: isBlank ? recent : titleEntries },
    { name: t("palette.actions"), entries: actions },
    { name: t("thread.messages"), entries: isBlank ? [] : messageEntries },
    { name: t("screen.files"), entries: isBlank ? [] : attached },
    ...everywhereEntry(typed, navigate),
  ].filter(({ entries }) => entries.length > 0);
  return { groups, isPending };
}

/** The title of a thread and an excerpt of its newest message that matches. */
function TitleAndWords({ title, hit }: { title: string; hit: SearchHit }) {
  return (
    <span className={styles["found"]}>
      <bdi className={styles["title"]}>{title}</bdi>
      <span className="grow shrink text-2 ink-faint one-line">
        <Excerpt pieces={hit.excerpt} />
      </span>
    </span>
  );
}

function isLoading({ isStale, state }: { isStale: boolean; state: string }): boolean {
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
