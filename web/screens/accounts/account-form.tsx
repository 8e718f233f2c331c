import { type HTMLInputAutoCompleteAttribute, type ReactNode, useState } from "react";
import { formFields, type FieldRules } from "#contract/form-fields.ts";
import { failureOf } from "#web/data/failure.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
import { TextField } from "../form/text-field.tsx";
import { useForm } from "../form/use-form.ts";
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
  rules: FieldRules;
};

const signUp = formFields["accounts.signUp"];
const newPassword = formFields["accounts.resetPassword"].password;
const password = formFields["accounts.confirm"].password;

const kinds: Record<FieldName, FieldKind> = {
  name: { label: () => t("account.name"), type: "text", autoComplete: "name", rules: signUp.name },
  email: { label: () => t("account.email"), type: "email", autoComplete: "username", rules: signUp.email },
  username: {
    label: () => t("directory.username"),
    type: "text",
    autoComplete: "username",
    rules: formFields["accounts.directorySignIn"].username,
  },
  currentPassword: {
    label: () => t("account.currentPassword"),
    type: "password",
    autoComplete: "current-password",
    rules: password,
  },
  password: {
    label: () => t("account.password"),
    type: "password",
    autoComplete: "current-password",
    rules: password,
  },
  newPassword: {
    label: () => t("account.newPassword"),
    hint: () => t("account.passwordHint", { min: newPassword.min ?? 0 }),
    type: "password",
    autoComplete: "new-password",
    rules: newPassword,
  },
  code: {
    label: () => t("secondFactor.codeOrRecovery"),
    hint: () => t("secondFactor.codeHint"),
    type: "text",
    autoComplete: "one-time-code",
    rules: formFields["accounts.addSecondFactor"].code,
  },
  appCode: {
    label: () => t("secondFactor.code"),
    type: "text",
    isNumeric: true,
    autoComplete: "one-time-code",
    rules: formFields["accounts.addSecondFactor"].code,
  },
  guestTokens: {
    label: () => t("firstAccount.tokens"),
    hint: () => t("firstAccount.tokensHint"),
    type: "text",
    isNumeric: true,
    autoComplete: "off",
    rules: { ...signUp.guest_tokens_per_day, required: true },
  },
};

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
  const [asksForCode, setAsksForCode] = useState(false);
  const shown: readonly FieldName[] = asksForCode ? ["code"] : [...fields, ...fieldsOfChoice];
  const form = useForm<AccountValues>({
    first: { ...empty, ...first },
    mistakesOf: (values) =>
      mistakesByRules(values, Object.fromEntries(shown.map((field) => [field, kinds[field].rules]))),
    async onSave(values) {
      try {
        await onSubmit(values);
      } catch (error) {
        const { code } = failureOf(error);
        if (code === "second-factor-needed") askForCode();
        else {
          if (failuresOfOtherFields.has(code)) leaveCode();
          throw error;
        }
      }
      return undefined;
    },
    emptied: isReset ? ["currentPassword", "password", "newPassword", "code"] : [],
  });
  const { element, values, failure, isSaving } = form;

  function askForCode(): void {
    setAsksForCode(true);
    focusFirst();
  }

  /** A code that is not shown is not sent either. */
  function leaveCode(): void {
    setAsksForCode(false);
    form.restart({ code: "" });
  }

  function goBack(): void {
    leaveCode();
    focusFirst();
  }

  /** After the fields have rendered. */
  function focusFirst(): void {
    requestAnimationFrame(() => element.current?.querySelector("input")?.focus());
  }

  function renderField(name: FieldName): ReactNode {
    const { label, hint, type, autoComplete, isNumeric } = kinds[name];
    return (
      <TextField
        key={name}
        label={label()}
        hint={hint?.()}
        type={type}
        name={name}
        dir={name === "name" ? "auto" : "ltr"}
        autoComplete={autoComplete}
        inputMode={isNumeric === true ? "numeric" : undefined}
        autoCapitalize={name === "name" ? undefined : "none"}
        spellCheck={false}
        {...form.field(name)}
        // An empty one may be left for another way to sign in, and a message would move its button.
        onBlur={() => values[name] !== "" && form.leave(name)()}
      />
    );
  }

  return (
    <form ref={element} noValidate className={styles["form"]} onSubmit={(event) => void form.save(event)}>
      {(asksForCode ? shown : fields).map(renderField)}
      {!asksForCode && choice}
      {!asksForCode && fieldsOfChoice.map(renderField)}
      {failure !== undefined && (
        <p role="alert" className={styles["failure"]}>
          {failure.message}
        </p>
      )}
      <div className={styles["foot"]}>
        <Button type="submit" look="strong" disabled={isSaving}>
          {submitLabel}
        </Button>
        {asksForCode && (
          <Button look="plain" disabled={isSaving} onClick={goBack}>
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
