/** Places that are asked for but give no time zone its name. */
const others: Record<string, string> = {
  "new delhi": "Asia/Kolkata",
  delhi: "Asia/Kolkata",
  mumbai: "Asia/Kolkata",
  india: "Asia/Kolkata",
  beijing: "Asia/Shanghai",
  china: "Asia/Shanghai",
  japan: "Asia/Tokyo",
  germany: "Europe/Berlin",
  munich: "Europe/Berlin",
  hamburg: "Europe/Berlin",
  frankfurt: "Europe/Berlin",
  france: "Europe/Paris",
  spain: "Europe/Madrid",
  barcelona: "Europe/Madrid",
  italy: "Europe/Rome",
  milan: "Europe/Rome",
  uk: "Europe/London",
  england: "Europe/London",
  "san francisco": "America/Los_Angeles",
  seattle: "America/Los_Angeles",
  california: "America/Los_Angeles",
  boston: "America/New_York",
  washington: "America/New_York",
  "new york city": "America/New_York",
  nyc: "America/New_York",
  miami: "America/New_York",
  texas: "America/Chicago",
  houston: "America/Chicago",
  dallas: "America/Chicago",
  "rio de janeiro": "America/Sao_Paulo",
  brazil: "America/Sao_Paulo",
  geneva: "Europe/Zurich",
  utc: "UTC",
  gmt: "UTC",
};

let zones: Map<string, string> | undefined;

/** The time zone of a city or a well-known place; `undefined` where we do not know the place. */
export function zoneOf(place: string): string | undefined {
  const name = place.trim().toLowerCase();
  zones ??= new Map(
    Intl.supportedValuesOf("timeZone").map((zone) => [
      (zone.split("/").at(-1) ?? zone).replaceAll("_", " ").toLowerCase(),
      zone,
    ]),
  );
  return others[name] ?? zones.get(name);
}
