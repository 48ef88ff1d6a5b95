//go:build ignore

// Command palette writes PNG files again with a palette of at most 256 colours, a quarter of the
// size: go run palette.go FILE...
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := rewrite(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func rewrite(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for step := 8; ; step *= 2 {
		if reduced, ok := reduce(picture, step); ok {
			encoder := png.Encoder{CompressionLevel: png.BestCompression}
			if err := encoder.Encode(&out, reduced); err != nil {
				return err
			}
			return os.WriteFile(path, out.Bytes(), 0o644)
		}
	}
}

// reduce rounds every colour to a multiple of step, and reports whether 256 colours are then
// enough.
func reduce(picture image.Image, step int) (*image.Paletted, bool) {
	round := func(v uint32) uint8 { return uint8(min(255, (int(v>>8)+step/2)/step*step)) }
	bounds := picture.Bounds()
	reduced := image.NewPaletted(bounds, nil)
	places := map[color.RGBA]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			c := color.RGBA{round(r), round(g), round(b), 255}
			place, known := places[c]
			if !known {
				if len(places) == 256 {
					return nil, false
				}
				place = uint8(len(places))
				places[c] = place
				reduced.Palette = append(reduced.Palette, c)
			}
			reduced.SetColorIndex(x, y, place)
		}
	}
	return reduced, true
}
