import { useId } from "react";
import { avatarColours } from "#contract/avatars.ts";
import { Avatar } from "#web/ui/avatar.tsx";
import { t } from "#web/i18n/translate.ts";
import { avatarTextOf, type AssistantForm } from "./assistant-form.ts";
import { FieldNote, fieldStyles } from "../form/field.tsx";
import styles from "./avatar-field.module.css";

/** A letter or an emoji, and the colour behind it. */
export function AvatarField({
  form,
  mistake,
  onChange,
}: {
  form: AssistantForm;
  mistake: string | undefined;
  onChange(change: Partial<AssistantForm>): void;
}) {
  const id = useId();
  const text = avatarTextOf(form);
  return (
    <fieldset className={styles["avatar"]}>
      <legend className={fieldStyles["legend"]}>{t("assistant.avatar")}</legend>
      <div className={styles["row"]}>
        <input
          type="text"
          aria-label={t("assistant.avatarText")}
          aria-describedby={`${id}-note`}
          aria-invalid={mistake !== undefined}
          value={form.avatarText}
          placeholder={text}
          size={3}
          autoComplete="off"
          className={`${fieldStyles["input"]} ${styles["text"]}`}
          onChange={(event) => onChange({ avatarText: event.currentTarget.value })}
        />
        <div className={styles["colours"]}>
          {avatarColours.map((colour) => (
            <label key={colour} className={styles["colour"]} data-tip={t(`colour.${colour}`)}>
              <input
                type="radio"
                name={id}
                aria-label={t(`colour.${colour}`)}
                checked={colour === form.colour}
                className="visually-hidden"
                onChange={() => onChange({ colour })}
              />
              <Avatar look={{ text: mistake === undefined ? text : "?", colour }} size="medium" />
            </label>
          ))}
        </div>
      </div>
      <FieldNote id={`${id}-note`} mistake={mistake} hint={t("assistant.avatarHint")} />
    </fieldset>
  );
}
