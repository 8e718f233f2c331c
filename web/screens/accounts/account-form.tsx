import { type FormEvent, type HTMLInputAutoCompleteAttribute, type ReactNode, useRef, useState } from "react";
import { isEmail } from "#contract/accounts/email.ts";
import { limits } from "#contract/limits.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { Button } from "#web/ui/button.tsx";
import { printNumber, t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";
import { numberOf } from "../form/numbers.ts";
import styles from "./accounts.module.css";

/** The fields that forms of accounts can have. */
type FieldName =
  | "name"
  | "username"
  | "email"
  | "currentPassword"
  | "password"
  | "newPassword"
  | "code"
  | "appCode"
  | "guestTokens";

export type AccountValues = Record<FieldName, string>;

type FieldKind = {
  label(): string;
  hint?: () => string;
  type: "text" | "email" | "password";
  autoComplete: HTMLInputAutoCompleteAttribute;
  /** Only digits. Recovery codes have letters. */
  isNumeric?: true;
  /** What is wrong with the value. */
  mistakeIn(value: string): string | undefined;
};

const isEmpty = (value: string) => (value === "" ? t("account.missing") : undefined);
const isMissing = (value: string) => isEmpty(value.trim());

const kinds: Record<FieldName, FieldKind> = {
  name: {
    label: () => t("account.name"),
    type: "text",
    autoComplete: "name",
    mistakeIn: isMissing,
  },
  email: {
    label: () => t("account.email"),
    type: "email",
    autoComplete: "username",
    mistakeIn: (value) => isMissing(value) ?? (isEmail(value) ? undefined : t("account.noEmail")),
  },
  username: {
    label: () => t("directory.username"),
    type: "text",
    autoComplete: "username",
    mistakeIn: isMissing,
  },
  currentPassword: {
    label: () => t("account.currentPassword"),
    type: "password",
    autoComplete: "current-password",
    mistakeIn: isEmpty,
  },
  password: {
    label: () => t("account.password"),
    type: "password",
    autoComplete: "current-password",
    mistakeIn: isEmpty,
  },
  newPassword: {
    label: () => t("account.newPassword"),
    hint: () => t("account.passwordHint", { min: limits.passwordCharactersMin }),
    type: "password",
    autoComplete: "new-password",
    mistakeIn: (value) =>
      value.length < limits.passwordCharactersMin
        ? t("account.shortPassword", { min: limits.passwordCharactersMin })
        : undefined,
  },
  code: {
    label: () => t("secondFactor.codeOrRecovery"),
    hint: () => t("secondFactor.codeHint"),
    type: "text",
    autoComplete: "one-time-code",
    mistakeIn: isMissing,
  },
  appCode: {
    label: () => t("secondFactor.code"),
    type: "text",
    isNumeric: true,
    autoComplete: "one-time-code",
    mistakeIn: isMissing,
  },
  guestTokens: {
    label: () => t("firstAccount.tokens"),
    hint: () => t("firstAccount.tokensHint"),
    type: "text",
    isNumeric: true,
    autoComplete: "off",
    mistakeIn: (value) =>
      isBudget(numberOf(value))
        ? undefined
        : t("budgets.wrongTokens", { max: printNumber(limits.budgetTokensMax) }),
  },
};

function isBudget(tokens: number | undefined): boolean {
  return Number.isInteger(tokens) && tokens! >= 1 && tokens! <= limits.budgetTokensMax;
}

const empty: AccountValues = {
  name: "",
  username: "",
  email: "",
  currentPassword: "",
  password: "",
  newPassword: "",
  code: "",
  appCode: "",
  guestTokens: "",
};

/** After these the person has to change the other fields, or cannot go on: a code does not help. */
const failuresOfOtherFields: ReadonlySet<string> = new Set([
  "wrong-password",
  "directory-refused",
  "reset-link-invalid",
  "account-suspended",
  "approval-pending",
  "confirmation-sent",
]);

/**
 * A form of an account. It stays as it is if `onSubmit` throws, and shows why. If the server wants a code of the second
 * factor too, it asks for that in place of the other fields.
 */
export function AccountForm({
  fields,
  first = {},
  submitLabel,
  onSubmit,
  children,
  choice,
  fieldsOfChoice = [],
  isReset = false,
}: {
  fields: readonly FieldName[];
  first?: Partial<AccountValues>;
  submitLabel: string;
  /** Throws errors that `failureOf` can translate. */
  onSubmit(values: AccountValues): Promise<void>;
  /** Between the fields and the button, followed by the fields that it adds. */
  choice?: ReactNode;
  fieldsOfChoice?: readonly FieldName[];
  /** Beside the button. */
  children?: ReactNode | ((values: AccountValues) => ReactNode);
  /** Whether the passwords are emptied after a success. */
  isReset?: boolean;
}) {
  const [values, setValues] = useState<AccountValues>({ ...empty, ...first });
  const [left, setLeft] = useState<ReadonlySet<FieldName>>(new Set());
  const [failure, setFailure] = useState<Failure>();
  const [isSending, setSending] = useState(false);
  const [asksForCode, setAsksForCode] = useState(false);
  const shown: readonly FieldName[] = asksForCode ? ["code"] : [...fields, ...fieldsOfChoice];
  const element = useRef<HTMLFormElement>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    setFailure(undefined);
    setLeft(new Set(shown));
    if (shown.some((field) => kinds[field].mistakeIn(values[field]) !== undefined)) {
      // After the fields with errors have rendered.
      requestAnimationFrame(() =>
        element.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus(),
      );
      return;
    }
    setSending(true);
    try {
      await onSubmit(values);
      if (isReset) {
        setValues((now) => ({ ...now, currentPassword: "", password: "", newPassword: "", code: "" }));
        setLeft(new Set());
      }
    } catch (error) {
      fail(failureOf(error));
    } finally {
      setSending(false);
    }
  }

  function fail(failed: Failure): void {
    const needsCode = failed.code === "second-factor-needed";
    if (needsCode) {
      setAsksForCode(true);
      focusFirst();
    } else {
      if (failuresOfOtherFields.has(failed.code)) leaveCode();
      setFailure(failed);
    }
    setLeft(new Set());
  }

  /** A code that is not shown is not sent either. */
  function leaveCode(): void {
    setAsksForCode(false);
    setValues((now) => ({ ...now, code: "" }));
  }

  function goBack(): void {
    leaveCode();
    setFailure(undefined);
    setLeft(new Set());
    focusFirst();
  }

  /** After the fields have rendered. */
  function focusFirst(): void {
    requestAnimationFrame(() => element.current?.querySelector("input")?.focus());
  }

  function renderField(field: FieldName): ReactNode {
    const { label, hint, type, autoComplete, isNumeric, mistakeIn } = kinds[field];
    return (
      <Field
        key={field}
        label={label()}
        hint={hint?.()}
        mistake={left.has(field) ? mistakeIn(values[field]) : undefined}
      >
        {(props) => (
          <input
            {...props}
            type={type}
            name={field}
            dir={field === "name" ? "auto" : "ltr"}
            autoComplete={autoComplete}
            inputMode={isNumeric === true ? "numeric" : undefined}
            autoCapitalize={field === "name" ? undefined : "none"}
            spellCheck={false}
            value={values[field]}
            className={fieldStyles["input"]}
            onBlur={() => values[field] !== "" && setLeft((now) => new Set([...now, field]))}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues((now) => ({ ...now, [field]: value }));
            }}
          />
        )}
      </Field>
    );
  }

  return (
    <form ref={element} noValidate className={styles["form"]} onSubmit={(event) => void submit(event)}>
      {(asksForCode ? shown : fields).map(renderField)}
      {!asksForCode && choice}
      {!asksForCode && fieldsOfChoice.map(renderField)}
      {failure !== undefined && (
        <p role="alert" className={styles["failure"]}>
          {failure.message}
        </p>
      )}
      <div className={styles["foot"]}>
        <Button type="submit" look="strong" disabled={isSending}>
          {submitLabel}
        </Button>
        {asksForCode && (
          <Button look="plain" disabled={isSending} onClick={goBack}>
            {t("account.back")}
          </Button>
        )}
        {typeof children === "function" ? children(values) : children}
      </div>
    </form>
  );
}

/** The code of the second factor for a request, if the form has asked for one. */
export function codeIn(code: string): { code?: string } {
  return code === "" ? {} : { code };
}
