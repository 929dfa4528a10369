// Tables as spreadsheets read and write them; of what to watch, and of anything. Pure.

export interface Wanted {
  line: number;
  kind: string;
  ref: string;
  outcome?: string;
  label?: string;
}

const KINDS = ["market", "event", "asset", "series", "search"];

/** Rows of fields; quoted fields may hold separators, quotes (doubled) and line ends. */
export function fieldsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  const separator = /^[^\n"]*;/.test(text) && !/^[^\n"]*,/.test(text) ? ";" : ",";
  const end = () => {
    row.push(field.trim());
    field = "";
  };
  for (let n = 0; n < text.length; n++) {
    const letter = text[n]!;
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[n + 1] === '"') (field += '"'), n++;
      else quoted = false;
    } else if (letter === '"' && !field.trim()) quoted = true;
    else if (letter === separator) end();
    else if (letter === "\n") {
      end();
      rows.push(row);
      row = [];
    } else if (letter !== "\r") field += letter;
  }
  end();
  rows.push(row);
  return rows;
}

/**
 * What a table asks to watch: columns `ref` (or `id`, `market_id`), and if there are `kind`, `outcome`
 * and `label`; without a head the first column holds ids of markets.
 */
export function wantedOf(text: string): Wanted[] {
  const rows = fieldsOf(text.replace(/^\uFEFF/, ""));
  const head = rows[0]!.map((name) => name.toLowerCase());
  const at = ["ref", "market_id", "id"].map((name) => head.indexOf(name)).find((place) => place >= 0);
  const column = (name: string) => (at === undefined ? -1 : head.indexOf(name));
  const [kind, outcome, label] = [column("kind"), column("outcome"), column("label")];
  return rows.flatMap((row, n) => {
    const ref = row[at ?? 0] ?? "";
    if (!ref || (at !== undefined && n === 0)) return [];
    const named = (row[kind] ?? "").toLowerCase();
    return [{
      line: n + 1, kind: KINDS.includes(named) ? named : "market", ref,
      ...(row[outcome] ? { outcome: row[outcome] } : {}), ...(row[label] ? { label: row[label] } : {}),
    }];
  });
}

type Value = string | number | boolean | null | undefined;

/** A record without parts: those of a part by their path, plain values of a list in one cell; lists of records are left out. */
export function flat(record: object, path = ""): Record<string, Value> {
  return Object.assign({}, ...Object.entries(record).map(([name, value]): Record<string, Value> => {
    if (Array.isArray(value)) return value.some((one) => one !== null && typeof one === "object") ? {} : { [path + name]: value.join("; ") };
    return value !== null && typeof value === "object" ? flat(value, `${path}${name}.`) : { [path + name]: value };
  }));
}

/** Records as a table with a column for every field that one of them has. */
export function spread(records: object[]): string {
  const rows = records.map((record) => flat(record));
  return tableOf([...new Set(rows.flatMap((row) => Object.keys(row)))], rows);
}

/** A table of records, a column a field. A text that a spreadsheet would run has an apostrophe before it. */
export function tableOf(columns: string[], records: Record<string, Value>[]): string {
  const cell = (value: Value): string => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? "");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...records.map((one) => columns.map((name) => one[name]))].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
