import { useId, useRef, useState } from "react";
import { limits } from "#contract/limits.ts";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { t } from "#web/i18n/translate.ts";
import styles from "./allowed-field.module.css";

export type AllowedOption = { id: string; name: string; note?: string };

/** From this number on, a list has a field that filters it. */
const filteredFrom = 10;

/**
 * All of something, also what comes later, or a selection. `allowed` is null for all. With `otherLabel`, ids that are not
 * listed can be added.
 */
export function AllowedField({
  legend,
  allLabel,
  someLabel,
  noneLabel,
  otherLabel,
  allowed,
  options,
  onChange,
}: {
  legend: string;
  allLabel: string;
  someLabel: string;
  /** What an empty selection means. */
  noneLabel: string;
  otherLabel?: string;
  allowed: string[] | null;
  options: readonly AllowedOption[];
  onChange(allowed: string[] | null): void;
}) {
  /** The selection before all were allowed. */
  const last = useRef<string[]>([]);
  if (allowed !== null) last.current = allowed;
  return (
    <div className={styles["field"]}>
      <RadioGroup
        legend={legend}
        value={allowed === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : last.current)}
        options={[
          { value: "all", label: allLabel },
          { value: "some", label: someLabel },
        ]}
      />
      {allowed !== null && (
        <>
          <Options label={legend} allowed={allowed} options={options} onChange={onChange} />
          {otherLabel !== undefined && (
            <OtherId label={otherLabel} onAdd={(id) => onChange([...new Set([...allowed, id])])} />
          )}
          {allowed.length === 0 && <p className={styles["none"]}>{noneLabel}</p>}
        </>
      )}
    </div>
  );
}

/** Adds what is not listed, such as a model for embeddings. */
function OtherId({ label, onAdd }: { label: string; onAdd(id: string): void }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const add = () => {
    if (typed.trim() !== "") onAdd(typed.trim());
    setTyped("");
  };
  return (
    <div className={styles["other"]}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        dir="ltr"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.nameCharacters}
        className={styles["filter"]}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // Not also to save the form.
          event.preventDefault();
          add();
        }}
      />
      <Button onClick={add}>{t("rights.add")}</Button>
    </div>
  );
}

function Options({
  label,
  allowed,
  options,
  onChange,
}: {
  label: string;
  allowed: string[];
  options: readonly AllowedOption[];
  onChange(allowed: string[]): void;
}) {
  const [typed, setTyped] = useState("");
  const words = typed.trim().toLowerCase();
  // What is allowed and does not exist now, such as a model whose provider does not answer, can still be taken away.
  const gone = allowed.filter((id) => !options.some((option) => option.id === id));
  const all = [...options, ...gone.map((id): AllowedOption => ({ id, name: id, note: t("rights.gone") }))];
  const shown = all.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(words));
  const turn = (id: string, isOn: boolean) =>
    onChange(isOn ? [...allowed, id] : allowed.filter((other) => other !== id));
  return (
    <>
      {all.length >= filteredFrom && (
        <input
          type="search"
          className={styles["filter"]}
          aria-label={t("rights.filter", { list: label })}
          placeholder={t("rights.filterHint")}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <div role="group" aria-label={label} className={styles["chosen"]}>
        {shown.map(({ id, name, note }) => (
          <label key={id} className={styles["option"]}>
            <input
              type="checkbox"
              checked={allowed.includes(id)}
              onChange={(event) => turn(id, event.currentTarget.checked)}
            />
            <span>
              {/* The space separates the two for screen readers. */}
              <bdi>{name}</bdi> {note !== undefined && <small>{note}</small>}
            </span>
          </label>
        ))}
        {shown.length === 0 && <p className={styles["none"]}>{t("rights.nothing")}</p>}
      </div>
    </>
  );
}
