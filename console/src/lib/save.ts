// A file made in the browser, kept where its downloads go.

export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A title as the name of a file. */
export const fileName = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
