import { useState } from "react";
import { useNavigate, useParams } from "@tanstack/react-router";
import MessageSquare from "lucide-react/icons/message-square";
import { threadLinkSearch } from "#contract/thread-links.ts";
import { useSearch } from "#web/data/search/search.ts";
import { Excerpt } from "#web/search/excerpt.tsx";
import { linkOfHit } from "#web/search/hit-location.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { t } from "#web/i18n/translate.ts";
import { EntryDialog } from "./entry-dialog.tsx";
import { debounceMs, everywhereEntry } from "./everywhere-entry.ts";

/** Finds messages of the open thread (Ctrl/⌘ F), also those that are not loaded, which the browser cannot find. */
export function FindInThread({ initialText, onClose }: { initialText: string; onClose(): void }) {
  const navigate = useNavigate();
  const { threadId = "" } = useParams({ strict: false });
  const [typed, setTyped] = useState(initialText);
  const query = useDebouncedValue(typed, debounceMs);
  const { hits, isStale, state } = useSearch(query, { kind: "message", threadId });
  const isBlank = typed.trim() === "";
  const messages = hits.map((hit) => {
    const { threadId: id, ...place } = linkOfHit(hit);
    return {
      key: hit.message_id ?? "",
      icon: MessageSquare,
      label: <Excerpt pieces={hit.excerpt} />,
      run: () =>
        void navigate({ to: "/t/$threadId", params: { threadId: id }, search: threadLinkSearch(place) }),
    };
  });
  const groups = [
    { name: t("thread.messages"), entries: isBlank ? [] : messages },
    ...everywhereEntry(typed, navigate),
  ].filter(({ entries }) => entries.length > 0);
  return (
    <EntryDialog
      label={t("find.label")}
      fieldLabel={t("find.label")}
      typed={typed}
      onType={setTyped}
      groups={groups}
      isPending={!isBlank && (query !== typed || isStale || state === "loading")}
      onClose={onClose}
    />
  );
}
