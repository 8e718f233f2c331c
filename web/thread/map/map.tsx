import { useContext, useEffect, useRef, useState } from "react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAuiState } from "@assistant-ui/react";
import FileCode from "lucide-react/icons/file-code";
import TableOfContents from "lucide-react/icons/table-of-contents";
import { limits } from "#contract/limits.ts";
import { VisibleFactsContext } from "#web/data/threads/message-facts-context.ts";
import { languageName } from "#contract/artifacts/languages.ts";
import { panelSearch } from "#web/panel/panel-search.ts";
import { useOpenThread } from "#web/runtime/open-thread.ts";
import { IconButton } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { Menu } from "#web/ui/menu/menu.tsx";
import type { MenuItem } from "#web/ui/menu/menu-item.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { createQuestionList, sectionsOf, type Question, type Section } from "./entries.ts";
import { goToHeading } from "./go-to-heading.ts";
import { useCurrentMessage } from "./use-current-message.ts";
import { useIsWide } from "./use-is-wide.ts";
import styles from "./map.module.css";

/**
 * The questions of a long thread, and the headings and artifacts of the answer that is being read. In narrow windows they are
 * in the menu of a button.
 */
export function ThreadMap() {
  const place = useRef<HTMLDivElement>(null);
  const isWide = useIsWide(place);
  return (
    <div ref={place} className={styles["place"]}>
      {isWide === true && <Outline />}
      {isWide === false && <OutlineMenu />}
    </div>
  );
}

function Outline() {
  const { questions, current, sections, versionOf, earlier, open, openSection } = useMap();
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (list.current === null || entry == null) return;
    const { offsetTop: top, offsetHeight: height } = entry;
    const { scrollTop, clientHeight } = list.current;
    if (top < scrollTop || top + height > scrollTop + clientHeight)
      list.current.scrollTop = top - clientHeight / 2;
  }, [current?.id]);
  return (
    <nav ref={list} aria-label={t("map.label")} className={styles["outline"]}>
      {earlier !== undefined && (
        <button type="button" className={styles["entry"]} onClick={earlier}>
          {t("map.earlier")}
        </button>
      )}
      <ol>
        {questions.map((question) => (
          <li key={question.id}>
            <button
              type="button"
              data-tip={question.text}
              aria-current={question === current ? "location" : undefined}
              className={styles["entry"]}
              onClick={() => open(question)}
            >
              <span dir="auto" className={styles["words"]}>
                {question.text || t("map.noWords")}
              </span>
              <Version of={versionOf(question)} />
            </button>
            {question === current && sections.length > 0 && (
              <ol className={styles["sections"]}>
                {sections.map((section, index) => (
                  <li key={index} style={{ "--level": levelOf(section) } as React.CSSProperties}>
                    <button
                      type="button"
                      data-tip={nameOf(section)}
                      className={styles["entry"]}
                      onClick={() => openSection(section)}
                    >
                      {section.kind === "artifact" && <Icon of={FileCode} size={13} />}
                      <span dir="auto" className={styles["words"]}>
                        {nameOf(section)}
                      </span>
                    </button>
                  </li>
                ))}
              </ol>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function OutlineMenu() {
  const { questions, current, sections, versionOf, earlier, open, openSection } = useMap();
  const items = (): MenuItem[] => [
    ...(earlier === undefined ? [] : [{ label: t("map.earlier"), onSelect: earlier }]),
    ...sections.map((section) => ({
      label: nameOf(section),
      section: t("map.inAnswer"),
      ...(section.kind === "artifact" ? { icon: FileCode } : {}),
      onSelect: () => openSection(section),
    })),
    ...questions.map((question) => {
      const version = versionOf(question);
      return {
        label: question.text || t("map.noWords"),
        section: t("map.questions"),
        checked: question === current,
        secondary: version && t("message.branch", version),
        onSelect: () => open(question),
      };
    }),
  ];
  return (
    <Menu label={t("map.label")} items={items} align="end">
      <IconButton icon={TableOfContents} label={t("map.label")} />
    </Menu>
  );
}

type Version = { number: number; count: number };

function Version({ of }: { of: Version | undefined }) {
  if (of === undefined) return null;
  return (
    <span role="img" aria-label={t("message.branch", of)} className={styles["version"]}>
      {printNumber(of.number)} / {printNumber(of.count)}
    </span>
  );
}

function useMap() {
  const navigate = useNavigate();
  const facts = useContext(VisibleFactsContext);
  const { m: named } = useSearch({ strict: false });
  const { threadId, hasEarlier, loadEarlier } = useOpenThread();
  const [questionsOf] = useState(createQuestionList);
  const questions = useAuiState((s) => questionsOf(s.thread.messages));
  const currentId = useCurrentMessage();
  const current =
    questions.find(({ id, answerId }) => id === currentId || answerId === currentId) ?? questions.at(-1);
  const sections = useAuiState((s) =>
    sectionsOf(s.thread.messages.find((message) => message.id === current?.answerId)),
  );

  function versionOf({ id, answerId }: Question): Version | undefined {
    for (const one of [id, answerId ?? ""]) {
      const siblings = facts.get().get(one)?.siblings ?? [];
      if (siblings.length > 1) return { number: siblings.indexOf(one) + 1, count: siblings.length };
    }
    return undefined;
  }

  /** The list goes to the message that the address names, also if it is not rendered. */
  async function show(id: string): Promise<void> {
    const name = async (m: string | undefined) =>
      await navigate({
        to: "/t/$threadId",
        params: { threadId },
        search: (before) => ({ ...panelSearch(before), ...(m === undefined ? {} : { m }) }),
        replace: true,
      });
    if (named === id) await name(undefined);
    await name(id);
  }

  return {
    questions,
    current,
    sections,
    versionOf,
    earlier: hasEarlier ? () => loadEarlier(limits.branchPage) : undefined,
    open: ({ id }: Question) => void show(id),
    openSection(section: Section) {
      const id = current?.answerId;
      if (id === undefined) return;
      if (section.kind === "heading") goToHeading(id, section.text);
      else
        void navigate({
          to: "/t/$threadId",
          params: { threadId },
          search: panelSearch({ panel: section.key, v: section.v }),
        });
    },
  };
}

function nameOf(section: Section): string {
  const kind = section.kind === "artifact" ? languageName(section.language) : undefined;
  return section.text ?? kind ?? t("thread.untitled");
}

function levelOf(section: Section): number {
  return section.kind === "heading" ? Math.min(section.level - 1, 3) : 0;
}
