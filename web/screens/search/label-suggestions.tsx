import { useLabels } from "#web/data/labels/labels.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./search-screen.module.css";

/** More would push the results out of sight. */
const shownMax = 8;

/** `tag:`, `-tag:` or `in:` and the beginning of a name, at the end of the text. */
const openFilter = /(?:^|\s)(-?tag|in):(?:"([^"]*)|(\S*))$/i;

/** Filters by tag and folder: all of them for a blank query, and those whose names begin as typed after `tag:` or `in:`. */
export function LabelSuggestions({ typed, onChoose }: { typed: string; onChoose(text: string): void }) {
  const { tags, folders } = useLabels();
  const [written, filter, quoted, unquoted = ""] = openFilter.exec(typed) ?? [];
  const begun = quoted ?? unquoted;
  const isBlank = typed.trim() === "";
  if (!isBlank && filter === undefined) return null;
  const before = written === undefined ? "" : typed.slice(0, typed.length - written.trimStart().length);
  const choices = [
    ...(isBlank || filter?.toLowerCase() === "in" ? folders : []).map(({ name }) => ["in", name] as const),
    ...(isBlank || filter?.toLowerCase() !== "in" ? tags : []).map(
      ({ name }) => [isBlank ? "tag" : (filter ?? "tag"), name] as const,
    ),
  ].filter(([, name]) => name.toLowerCase().startsWith(begun.trim().toLowerCase()));
  if (choices.length === 0) return null;
  return (
    <div role="group" aria-label={t("search.labels")} className={styles["labels"]}>
      {choices.slice(0, shownMax).map(([key, name]) => {
        const text = `${key}:"${name.replaceAll('"', " ")}"`;
        return (
          <Button key={text} onClick={() => onChoose(`${before}${text} `)}>
            <bdi>{text}</bdi>
          </Button>
        );
      })}
    </div>
  );
}
