import type { ReactNode } from "react";
import Download from "lucide-react/icons/download";
import type { ImportedPerson } from "#contract/endpoints/imports.ts";
import type { PeopleImportReport, PeopleImportState } from "#web/data/admin/people-import.ts";
import { failureOfCode, translateFailure } from "#web/data/failure.ts";
import { saveFile } from "#web/data/transfer/save-file.ts";
import { Button } from "#web/ui/button.tsx";
import { printList, t } from "#web/i18n/translate.ts";
import { List } from "../../list.tsx";
import { asName, Mark, Row } from "../../row.tsx";
import styles from "./people-import.module.css";

type Ended = Extract<PeopleImportState, { state: "previewed" | "done" | "stopped" | "failed" }>;

/** What a file has, or what was imported of it. `children`: what to do next. */
export function ImportSummary({ state, children }: { state: Ended; children: ReactNode }) {
  const { people, server, leftOut } = state;
  const links = people.filter(({ link }) => link !== null);
  const failed = people.filter(({ refusals }) => refusals.length > 0);
  return (
    <div className={styles["summary"]}>
      {state.state === "failed" ? (
        <p className="danger">{translateFailure(state.failure).message}</p>
      ) : (
        <h2 dir="auto" className="text-4 bold ink anywhere">
          {headingOf(state)}
        </h2>
      )}
      <ul className={styles["counts"]}>
        {countsOf(state).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ul className={styles["facts"]}>
        {factsOf(people).map((line) => (
          <li key={line}>{line}</li>
        ))}
        {server !== undefined && server.models.length > 0 && (
          <li>{t("peopleImport.models", { models: printList(server.models) })}</li>
        )}
      </ul>
      {links.length > 0 && (
        <div className={styles["facts"]}>
          <p>{t("peopleImport.linksOnce")}</p>
          <div className={styles["choice"]}>
            <Button icon={Download} onClick={() => saveFile(linksFile(links))}>
              {t("peopleImport.download")}
            </Button>
          </div>
        </div>
      )}
      <Folded count={failed.length} summary={t("peopleImport.failures", { count: failed.length })}>
        {failed.map((person) => (
          <Row key={person.number} name={nameOf(person)} facts={reasonsOf(person)} />
        ))}
      </Folded>
      <Folded count={people.length} summary={t("peopleImport.list", { count: people.length })}>
        {people.map((person) => (
          <PersonRow key={person.number} person={person} />
        ))}
      </Folded>
      <Folded count={leftOut.length} summary={t("peopleImport.leftOut")}>
        {leftOut.map(({ reason, name, count }) => (
          <Row
            key={name}
            name={t(reason === "not-yet" ? "peopleImport.notYet" : "peopleImport.unknown", {
              count,
              kind: name,
            })}
          />
        ))}
      </Folded>
      <div className={styles["choice"]}>{children}</div>
    </div>
  );
}

function PersonRow({ person }: { person: ImportedPerson }) {
  const { outcome, counts, is_address_unproved: isUnproved } = person;
  const isRefused = outcome === "refused";
  const mark = isRefused
    ? "peopleImport.isRefused"
    : isUnproved
      ? "peopleImport.isUnproved"
      : outcome === "existing"
        ? "peopleImport.hasAccount"
        : "peopleImport.isNew";
  return (
    <Row
      name={nameOf(person)}
      mark={<Mark tone={isRefused ? "danger" : undefined}>{t(mark)}</Mark>}
      facts={[asName(person.email), ...chatsOf(counts)]}
    />
  );
}

function Folded({ count, summary, children }: { count: number; summary: string; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <details className={styles["folded"]}>
      <summary>{summary}</summary>
      <List>{children}</List>
    </details>
  );
}

function headingOf({ state, name }: Exclude<Ended, { state: "failed" }>): string {
  if (state === "stopped") return t("peopleImport.stopped");
  return t(state === "previewed" ? "peopleImport.previewed" : "peopleImport.done", { name });
}

function countsOf({ people, server }: PeopleImportReport): string[] {
  const sum = (of: (person: ImportedPerson) => number) => people.reduce((all, each) => all + of(each), 0);
  const counts = {
    added: sum((each) => each.counts.added + each.counts.updated),
    unchanged: sum((each) => each.counts.unchanged),
    refused: sum((each) => each.counts.refused),
  };
  const more = [
    ["peopleImport.folders", sum((each) => each.folders)],
    ["peopleImport.prompts", sum((each) => each.prompts)],
    ["peopleImport.files", sum((each) => each.counts.files)],
    ["peopleImport.groups", server?.groups ?? 0],
    ["peopleImport.assistants", server?.assistants ?? 0],
  ] as const;
  return [
    t("peopleImport.people", { count: people.length }),
    ...chatsOf({ ...counts, updated: 0 }),
    ...more.flatMap(([key, count]) => (count === 0 ? [] : [t(key, { count })])),
  ];
}

function chatsOf({
  added,
  updated,
  unchanged,
  refused,
}: Pick<ImportedPerson["counts"], "added" | "updated" | "unchanged" | "refused">): string[] {
  const isNew = added + updated;
  return [
    ...(isNew === 0 && unchanged > 0 ? [] : [t("peopleImport.newChats", { count: isNew })]),
    ...(unchanged === 0 ? [] : [t("peopleImport.sameChats", { count: unchanged })]),
    ...(refused === 0 ? [] : [t("peopleImport.refusedChats", { count: refused })]),
  ];
}

/** What happens to whom. */
function factsOf(people: readonly ImportedPerson[]): string[] {
  const count = (is: (person: ImportedPerson) => boolean) => people.filter(is).length;
  const facts = [
    ["peopleImport.invited", count((each) => each.outcome === "invited" && !each.is_address_unproved)],
    ["peopleImport.existing", count((each) => each.outcome === "existing")],
    ["peopleImport.unproved", count((each) => each.is_address_unproved)],
    ["peopleImport.refused", count((each) => each.outcome === "refused")],
  ] as const;
  return facts.flatMap(([key, people]) => (people === 0 ? [] : [t(key, { count: people })]));
}

function reasonsOf({ refusals }: ImportedPerson): string[] {
  return refusals.map(({ error, count }) =>
    t("peopleImport.failure", { count, reason: failureOfCode(error.code, error.message).message }),
  );
}

function nameOf({ name, email, number }: ImportedPerson): string {
  return name || email || `${number}`;
}

/** A table for spreadsheets. A cell that begins like a formula gets a quote, so that none of the file is calculated. */
function linksFile(people: readonly ImportedPerson[]) {
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = [
    ["name", "email", "link"],
    ...people.map(({ name, email, link }) => [name, email, link ?? ""]),
  ];
  const text = lines.map((line) => line.map(cell).join(",")).join("\r\n");
  return { name: "invitations.csv", blob: new Blob(["\uFEFF", text, "\r\n"], { type: "text/csv" }) };
}
