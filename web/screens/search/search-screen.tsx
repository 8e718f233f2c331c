import { type FormEvent, useEffect, useRef, useState } from "react";
import { useNavigate, useSearch as useAddress } from "@tanstack/react-router";
import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type ThreadResults, useThreadSearch } from "#web/data/search/search.ts";
import { isTooLong, tooLongMessage } from "#web/search/too-long.ts";
import { useDebouncedValue } from "#web/lib/use-debounced-value.ts";
import { IconButton, Button } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { useLabels } from "#web/data/labels/labels.ts";
import { labelChoices } from "#web/search/label-choices.ts";
import { EmptyText, ListContent, MoreButton } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { Hits } from "./search-hits.tsx";
import styles from "./search-screen.module.css";

/** `/search?q=`: searches titles, messages of all branches and attached files. The address has the query. */
export function SearchScreen() {
  const { q = "" } = useAddress({ from: "/search" });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  const query = useDebouncedValue(typed);
  const found = useThreadSearch(query);

  useEffect(() => {
    if (query !== q && !isTooLong(query))
      void navigate({ to: "/search", search: query === "" ? {} : { q: query }, replace: true });
    // Only typing changes the address. The next effect follows changes of the address.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [query]);
  const lastAddressQuery = useRef(q);
  useEffect(() => {
    if (q !== lastAddressQuery.current && q !== query) setTyped(q);
    lastAddressQuery.current = q;
  }, [q, query]);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-hit]")?.focus();
  };
  return (
    <Page title={t("screen.search")}>
      <form role="search" className={styles["form"]} onSubmit={submit}>
        <Icon of={Search} />
        <input
          ref={field}
          type="search"
          dir={typed === "" ? undefined : "auto"}
          enterKeyHint="search"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isTooLong(typed) || undefined}
          aria-label={t("search.label")}
          placeholder={t("search.placeholder")}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>("[data-hit]")?.focus();
          }}
        />
        {typed !== "" && (
          <IconButton
            icon={X}
            size={16}
            label={t("search.clear")}
            onClick={() => {
              setTyped("");
              field.current?.focus();
            }}
          />
        )}
      </form>
      <LabelSuggestions
        typed={typed}
        onChoose={(text) => {
          setTyped(text);
          field.current?.focus();
        }}
      />
      <Found typed={query} found={found} />
    </Page>
  );
}

function Found({ typed, found }: { typed: string; found: ThreadResults }) {
  if (typed.trim() === "") return <Hints />;
  if (isTooLong(typed)) return <Notice title={t("search.tooLongTitle")} text={tooLongMessage(typed)} />;
  return (
    <ListContent
      list={found}
      isEmpty={found.results.length === 0}
      loadingLabel={t("search.loading")}
      failedTitle={t("search.failed")}
    >
      {found.ignored.length > 0 && (
        <p className="text-3 ink-faint below-4">{t("search.ignored", { typed: printList(found.ignored) })}</p>
      )}
      <p role="status" className="visually-hidden">
        {t(found.hasMore ? "search.countMore" : "search.count", { count: found.results.length })}
      </p>
      {found.results.length === 0 && !found.isStale && (
        <EmptyText lines={[t("search.none", { typed }), t("search.noneHint")]} />
      )}
      <Hits typed={typed} found={found} />
      <MoreButton list={found} />
    </ListContent>
  );
}

function Hints() {
  return (
    <dl className={styles["hints"]} aria-label={t("search.hints")}>
      {hints.map(([typed, means]) => (
        <div key={typed}>
          <dt>
            <kbd dir="auto">{t(typed)}</kbd>
          </dt>
          <dd>{t(means)}</dd>
        </div>
      ))}
    </dl>
  );
}

const hints = [
  ["search.hintPhrase", "search.hintPhraseMeans"],
  ["search.hintWithout", "search.hintWithoutMeans"],
  ["search.hintIn", "search.hintInMeans"],
  ["search.hintTag", "search.hintTagMeans"],
  ["search.hintFiles", "search.hintFilesMeans"],
  ["search.hintAfter", "search.hintAfterMeans"],
  ["search.hintBefore", "search.hintBeforeMeans"],
  ["search.hintArchived", "search.hintArchivedMeans"],
] as const;

/** More would push the results out of sight. */
const shownMax = 8;

/** Filters by tag and folder (`labelChoices`). */
function LabelSuggestions({ typed, onChoose }: { typed: string; onChoose(text: string): void }) {
  const choices = labelChoices(typed, useLabels()) ?? [];
  if (choices.length === 0) return null;
  return (
    <div role="group" aria-label={t("search.labels")} className={styles["labels"]}>
      {choices.slice(0, shownMax).map(({ filter, text }) => (
        <Button key={filter} onClick={() => onChoose(text)}>
          <bdi>{filter}</bdi>
        </Button>
      ))}
    </div>
  );
}
