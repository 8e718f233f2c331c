import { useEffect, useRef, useState } from "react";
import ChevronDown from "lucide-react/icons/chevron-down";
import FileCode from "lucide-react/icons/file-code";
import { languageName } from "#contract/artifacts/code-languages.ts";
import { moveByArrows } from "#web/selection/row-list.tsx";
import { join } from "#web/ui/button.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { t } from "#web/i18n/translate.ts";
import type { Question, OutlineSection } from "./entries.ts";
import { ForkEntry } from "./fork-entry.tsx";
import { useOutline } from "./use-outline.ts";
import styles from "./outline.module.css";

/**
 * Tab reaches the entries of the current question; arrow keys move through all, and open and close what is below one.
 * `beforeLeave`: called before an entry goes to what it names.
 */
export function Outline({
  className,
  beforeLeave,
}: {
  className?: string | undefined;
  beforeLeave?(): void;
}) {
  const outline = useOutline();
  const { questions, current } = outline;
  /** By question: whether the person opened or closed its sections. Those of the current question are open otherwise. */
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const entry = list.current?.querySelector<HTMLElement>("[aria-current='location']");
    if (list.current === null || entry == null) return;
    const { offsetTop: top, offsetHeight: height } = entry;
    const { scrollTop, clientHeight } = list.current;
    if (top < scrollTop || top + height > scrollTop + clientHeight)
      list.current.scrollTop = top - clientHeight / 2;
  }, [current?.id]);
  const goTo = (id: string) => {
    beforeLeave?.();
    outline.open(id);
  };
  return (
    // The focusable elements are in the entries; key events bubble to the list.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav
      ref={list}
      aria-label={t("outline.label")}
      className={join(styles["outline"], className)}
      onKeyDown={(event) => {
        if (!openByArrows(event)) moveByArrows(event);
      }}
    >
      {outline.earlier !== undefined && (
        <button type="button" data-row className={styles["entry"]} onClick={outline.earlier}>
          {t("outline.earlier")}
        </button>
      )}
      <ol>
        {questions.map((question) => {
          const isOpen = choices.get(question.id) ?? question === current;
          const tabIndex = question === current ? 0 : -1;
          const forks = outline.forksOf(question);
          return (
            // The oldest version names the place: the entry stays the same when another version is shown.
            <li key={forks.find(({ of }) => of === "question")?.siblings[0] ?? question.id}>
              <QuestionEntry
                question={question}
                isCurrent={question === current}
                isOpen={isOpen}
                tabIndex={tabIndex}
                onPress={() => goTo(question.id)}
                onToggle={() => setChoices(new Map(choices).set(question.id, !isOpen))}
              />
              {forks.map((fork) => (
                <ForkEntry
                  key={fork.of}
                  threadId={outline.threadId}
                  fork={fork}
                  tabIndex={tabIndex}
                  onChoose={goTo}
                />
              ))}
              {isOpen && question.sections.length > 0 && (
                <ol>
                  {question.sections.map((section, index) => (
                    <li key={index} style={{ "--level": levelOf(section) } as React.CSSProperties}>
                      <button
                        type="button"
                        data-row
                        data-tip={nameOf(section)}
                        tabIndex={tabIndex}
                        className={join(styles["entry"], styles["section"])}
                        onClick={() => {
                          beforeLeave?.();
                          outline.openSection(question, section);
                        }}
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
          );
        })}
      </ol>
    </nav>
  );
}

function QuestionEntry({
  question,
  isCurrent,
  isOpen,
  tabIndex,
  onPress,
  onToggle,
}: {
  question: Question;
  isCurrent: boolean;
  isOpen: boolean;
  tabIndex: number;
  onPress(): void;
  onToggle(): void;
}) {
  const title = question.text || t("outline.noWords");
  return (
    <div className="flex">
      <button
        type="button"
        data-row
        data-tip={question.text}
        aria-current={isCurrent ? "location" : undefined}
        tabIndex={tabIndex}
        className={styles["entry"]}
        onClick={onPress}
      >
        <span dir="auto" className={styles["words"]}>
          {title}
        </span>
      </button>
      {question.sections.length > 0 && (
        <button
          type="button"
          aria-label={t("outline.contents", { title })}
          aria-expanded={isOpen}
          tabIndex={tabIndex}
          className={styles["toggle"]}
          onClick={onToggle}
        >
          <Icon of={ChevronDown} size={14} />
        </button>
      )}
    </div>
  );
}

function nameOf(section: OutlineSection): string {
  const kind = section.kind === "artifact" ? languageName(section.language) : undefined;
  return section.text ?? kind ?? t("thread.untitled");
}

function levelOf(section: OutlineSection): number {
  return section.kind === "heading" ? Math.min(section.level - 1, 3) : 0;
}

/**
 * The arrow key that points away from the start of the line opens what is below the focused row; the other one closes it, or
 * goes to the row above. Returns whether it did.
 */
function openByArrows(event: React.KeyboardEvent<HTMLElement>): boolean {
  const { key, target } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  if ((key !== "ArrowLeft" && key !== "ArrowRight") || !(target instanceof HTMLElement)) return false;
  const opens = (key === "ArrowRight") !== target.matches(":dir(rtl)");
  const toggle = target.hasAttribute("aria-expanded")
    ? target
    : target.parentElement?.querySelector<HTMLElement>(":scope > [aria-expanded]");
  if (toggle?.getAttribute("aria-expanded") === String(!opens)) toggle.click();
  else if (!opens) target.closest("ol")?.parentElement?.querySelector<HTMLElement>("[data-row]")?.focus();
  event.preventDefault();
  return true;
}
