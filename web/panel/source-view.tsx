import { useRef } from "react";
import { Link } from "@tanstack/react-router";
import { useAuiState } from "@assistant-ui/react";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import type { PartOf } from "#contract/parts/kinds.ts";
import { parseThreadLink, threadLinkSearch } from "#contract/thread-links.ts";
import { appUrl } from "#web/lib/base-path.ts";
import { usePartsOfCompared } from "#web/data/threads/comparisons.ts";
import { safeLink } from "#web/markdown/address.ts";
import { excerptsOf } from "#web/parts/source-excerpts.ts";
import { nameOfSource, tipOf } from "#web/parts/source.tsx";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { CopyButton } from "#web/ui/copy/copy-button.tsx";
import { t } from "#web/i18n/translate.ts";
import type { PanelAddress } from "./panel-address.ts";
import { PanelHead, PanelTitle } from "./panel-head.tsx";
import { type PanelSearch, sourceKey } from "./panel-search.ts";
import { quoteOf, selectionIn } from "./quote.ts";
import { useWrite } from "./use-write.ts";
import panelStyles from "./panel.module.css";
import styles from "./source-view.module.css";

type Source = PartOf<"source">;
export type OpenSource = { source: Source; number: number; count: number; excerpts: readonly string[] };

/** The source that the address names, if its answer is loaded. */
export function useOpenSource(threadId: string, { panel, v }: PanelSearch): OpenSource | undefined {
  const number = numberOfKey(panel);
  const inBranch = useAuiState((s) =>
    number === undefined ? undefined : s.thread.messages.find(({ id }) => id === v)?.parts,
  );
  const { isComparing } = useOpenThread();
  const compared = usePartsOfCompared(threadId, number === undefined || !isComparing ? undefined : v);
  const parts = inBranch ?? compared;
  if (number === undefined || parts === undefined) return undefined;
  const sources = parts.filter((part) => part.type === "source") as unknown as Source[];
  const source = sources[number - 1];
  return source && { source, number, count: sources.length, excerpts: excerptsOf(parts, number) };
}

/** A source of an answer: its title and address, and the excerpts that are known. */
export function OpenSourceView({
  open: { source, number, count, excerpts },
  search,
  isOver,
  address,
}: {
  open: OpenSource;
  search: PanelSearch;
  /** Whether the panel covers the composer. */
  isOver: boolean;
  address: PanelAddress;
}) {
  const body = useRef<HTMLDivElement>(null);
  const write = useWrite(address, search, isOver);
  const name = nameOfSource(source);
  const ask = () => {
    const selected = selectionIn(body.current);
    void write(quoteOf(selected === "" ? mentionOf(source, name, excerpts) : selected));
  };
  const go = (to: number) => void address.update({ panel: sourceKey(to) });
  return (
    <>
      <PanelHead
        name={
          <>
            <span className={styles["number"]} aria-hidden>
              {number}
            </span>
            <PanelTitle>{name}</PanelTitle>
          </>
        }
        search={search}
        isOver={isOver}
        address={address}
        onAsk={ask}
      >
        <CopyButton text={() => citationOf(source, name, excerpts)} />
      </PanelHead>
      <div className={panelStyles["bar"]}>
        <div role="group" aria-label={t("sources.label")} className={styles["steps"]}>
          <IconButton
            icon={ChevronLeft}
            size={16}
            label={t("sources.previous")}
            disabled={number === 1}
            onClick={() => go(number - 1)}
          />
          <span role="status">{t("sources.position", { number, count })}</span>
          <IconButton
            icon={ChevronRight}
            size={16}
            label={t("sources.next")}
            disabled={number === count}
            onClick={() => go(number + 1)}
          />
        </div>
      </div>
      {/* The keyboard can scroll it. */}
      <div
        ref={body}
        role="region"
        aria-label={name}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={styles["body"]}
      >
        <p className={styles["title"]} dir="auto">
          {name}
        </p>
        <Address source={source} />
        {excerpts.length === 0 ? (
          <p className={styles["none"]}>{t("sources.noExcerpt")}</p>
        ) : (
          excerpts.map((excerpt) => (
            <blockquote key={excerpt} dir="auto" className={styles["excerpt"]}>
              {excerpt}
            </blockquote>
          ))
        )}
      </div>
    </>
  );
}

function Address({ source }: { source: Source }) {
  if (source.sourceType === "document")
    return <p className={styles["fact"]}>{source.filename ?? source.mediaType}</p>;
  const place = parseThreadLink(source.url);
  if (place !== undefined)
    return (
      <Link
        className={styles["address"]}
        to="/t/$threadId"
        params={{ threadId: place.threadId }}
        search={threadLinkSearch(place)}
      >
        {t(tipOf(place))}
      </Link>
    );
  const href = safeLink(source.url);
  if (href === undefined) return <p className={styles["fact"]}>{source.url}</p>;
  return (
    <a className={styles["address"]} dir="ltr" href={href} target="_blank" rel="noopener noreferrer">
      {href}
    </a>
  );
}

/** The source for the model: what is known of its text, its title, and its address on the web. */
function mentionOf(source: Source, name: string, excerpts: readonly string[]): string {
  const isOnWeb = source.sourceType === "url" && safeLink(source.url) !== undefined;
  return [...excerpts, isOnWeb ? namedAddress(name, source.url) : name].join("\n\n");
}

/** The source for the clipboard: its excerpts as quotes, and its title and address below them. */
function citationOf(source: Source, name: string, excerpts: readonly string[]): string {
  const quotes = excerpts.map(quoteOf);
  if (source.sourceType === "document") return [...quotes, name].join("\n\n");
  const isInApp = parseThreadLink(source.url) !== undefined;
  const address = isInApp ? appUrl(source.url) : source.url;
  return [...quotes, namedAddress(name, address)].join("\n\n");
}

function namedAddress(name: string, address: string): string {
  return name === address ? address : `${name}, ${address}`;
}

/** The number in a key of `sourceKey`. */
function numberOfKey(key: string | undefined): number | undefined {
  const number = /^source:([1-9]\d{0,3})$/.exec(key ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}
