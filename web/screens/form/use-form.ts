import { type FormEvent, useRef, useState } from "react";
import { failureOf, type Failure } from "#web/data/failure.ts";

/**
 * Saves a form. Returns how to leave its screen, if that follows: until then, leaving it asks. Throws errors that
 * `failureOf` can translate.
 */
export type OnSave<Values> = (values: Values) => Promise<(() => void) | undefined>;

/**
 * The values of a form. Once something was changed, a field is validated when it loses the focus, and on every change after
 * that. So the first field can have the focus at the start, and is not wrong when it is left for Cancel.
 */
export function useForm<Values, Name extends string = keyof Values & string>({
  first,
  mistakesOf,
  onSave,
  emptied = [],
}: {
  first: Values;
  /** A message for each wrong field. */
  mistakesOf(values: Values): Partial<Record<Name, string>>;
  onSave: OnSave<Values>;
  /** The fields that are as at the start again after a save, for what is added next. */
  emptied?: readonly (keyof Values)[];
}) {
  const [values, setValues] = useState(first);
  const [left, setLeft] = useState<ReadonlySet<Name>>(new Set());
  const [failure, setFailure] = useState<Failure>();
  const [isSaving, setSaving] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  /** What a change is compared with. */
  const saved = useRef(first);
  const mistakes = mistakesOf(values);
  const isChanged = () => JSON.stringify(values) !== JSON.stringify(saved.current);

  /** Whether the form can be sent. If not, the first wrong field gets the focus. */
  function check(): boolean {
    const wrong = Object.keys(mistakes) as Name[];
    setLeft(new Set(wrong));
    setFailure(undefined);
    if (wrong.length === 0) return true;
    // After the fields with errors have rendered.
    requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(),
    );
    return false;
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!check() || isSaving) return;
    setSaving(true);
    try {
      const leaveScreen = await onSave(values);
      const start = Object.fromEntries(emptied.map((name) => [name, first[name]])) as Partial<Values>;
      saved.current = { ...values, ...start };
      setValues(saved.current);
      leaveScreen?.();
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setSaving(false);
    }
  }

  function change(next: Partial<Values>): void {
    // It would not be part of what is being saved.
    if (isSaving) return;
    setValues((now) => ({ ...now, ...next }));
  }

  /** Changes values without messages about the others, as at the start. */
  function restart(next: Partial<Values>): void {
    setValues((now) => ({ ...now, ...next }));
    setLeft(new Set());
    setFailure(undefined);
  }

  /** What is wrong in a field that was left. */
  const mistakeOf = (field: Name) => (left.has(field) ? mistakes[field] : undefined);

  const leave = (field: Name) => () => {
    if (isChanged()) setLeft((now) => new Set([...now, field]));
  };

  return {
    values,
    mistakes,
    failure,
    isSaving,
    element,
    check,
    save,
    hasUnsavedChanges: isChanged,
    change,
    restart,
    mistakeOf,
    leave,
    /** The props of a field that shows `name`. */
    field: <Key extends keyof Values & string>(name: Key) => ({
      value: values[name],
      mistake: mistakeOf(name as string as Name),
      onBlur: leave(name as string as Name),
      onChange: (value: Values[Key]) => change({ [name]: value } as unknown as Partial<Values>),
    }),
    /** The props of a checkbox that shows `name`. */
    checkbox: <Key extends keyof Values>(name: Key & (Values[Key] extends boolean ? unknown : never)) => ({
      checked: values[name] as boolean,
      onChange: (checked: boolean) => change({ [name]: checked } as unknown as Partial<Values>),
    }),
  };
}
