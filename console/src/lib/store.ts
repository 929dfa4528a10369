// A value that components watch.
import { useEffect, useState } from "preact/hooks";

export class Store<T> {
  #value: T;
  #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const watcher of this.#watchers) watcher(value);
  }

  watch(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, set] = useState(store.get());
  useEffect(() => {
    set(() => store.get());
    return store.watch((next) => set(() => next));
  }, [store]);
  return value;
}
