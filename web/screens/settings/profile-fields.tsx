import { useState } from "react";
import { defaultAssistantId } from "#contract/ids.ts";
import type { Profile } from "#contract/endpoints/auth.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import { useProfile } from "#web/data/session/profile.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { SelectField } from "../form/select-field.tsx";

/** What new chats begin with, and the time zone, on every device of this person. Guests have none of it. */
export function ProfileFields() {
  const { profile, update } = useProfile();
  const { assistants, state: assistantState } = useAssistants();
  const { models, state: modelState } = useModels();
  if (profile === null) return null;
  const save = async (change: Parameters<typeof update>[0]) => await update(change).catch(showFailure);
  return (
    <>
      <ProfileSelect
        label={t("profile.assistant")}
        hint={t("profile.assistantHint")}
        value={profile.default_assistant_id}
        nothing={t("profile.serverDefault")}
        options={assistants
          .filter(({ id }) => id !== defaultAssistantId)
          .map(({ id, name }) => [id, name] as const)}
        isLoaded={assistantState === "ready"}
        onChange={(id) => save({ default_assistant_id: id })}
      />
      <ProfileSelect
        label={t("profile.model")}
        hint={t("profile.modelHint")}
        value={profile.default_model}
        nothing={t("profile.lastModel")}
        options={models.map(({ id, name }) => [id, name] as const)}
        isLoaded={modelState === "ready"}
        onChange={(id) => save({ default_model: id })}
      />
      <ProfileSelect
        label={t("profile.timeZone")}
        hint={t("profile.timeZoneHint")}
        value={profile.time_zone}
        nothing={t("profile.deviceTimeZone")}
        // Browsers list different names of the same zones.
        options={[...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", profile.time_zone ?? "UTC"])]
          .toSorted()
          .map((zone) => [zone, zone.replaceAll("_", " ")] as const)}
        isLoaded
        onChange={(zone) => save({ time_zone: zone })}
      />
    </>
  );
}

/** `nothing`: the option for null. A value that is no longer offered stays, marked as missing. */
function ProfileSelect({
  label,
  hint,
  value,
  nothing,
  options,
  isLoaded,
  onChange,
}: {
  label: string;
  hint: string;
  value: Profile["default_model"];
  nothing: string;
  options: readonly (readonly [value: string, name: string])[];
  /** Whether the options are complete. */
  isLoaded: boolean;
  /** Ends when the choice is saved, or was not. */
  onChange(value: string | null): Promise<void>;
}) {
  // While a slow network saves it, the choice stays on the screen.
  const [pending, setPending] = useState<{ value: string | null }>();
  const shown = pending === undefined ? value : pending.value;
  const isMissing = value !== null && !options.some(([option]) => option === value);
  return (
    <SelectField
      label={label}
      hint={hint}
      value={shown ?? ""}
      disabled={!isLoaded}
      options={[
        ["", nothing],
        ...(isMissing ? [[value, isLoaded ? t("profile.missing", { name: value }) : value] as const] : []),
        ...options,
      ]}
      onChange={(next) => {
        const chosen = { value: next === "" ? null : next };
        setPending(chosen);
        void onChange(chosen.value).finally(() => setPending((now) => (now === chosen ? undefined : now)));
      }}
    />
  );
}
