typedef unsigned char u8; typedef signed char i8; typedef int i32;
#define EXP(n) __attribute__((export_name(#n), noinline)) void n
EXP(matmul)(float*c,const float*a,const float*b,i32 n,i32 m,i32 k){ for(i32 i=0;i<n;i++) for(i32 j=0;j<m;j++){ float s=0; for(i32 l=0;l<k;l++) s+=a[i*k+l]*b[l*m+j]; c[i*m+j]=s; } }
EXP(gemm)(float*c,const float*a,const float*b,i32 n,i32 m,i32 k){ for(i32 i=0;i<n;i++) for(i32 j=0;j<m;j++){ float s=0; for(i32 l=0;l<k;l++) s+=a[i*k+l]*b[l*m+j]; c[i*m+j]=0.5f*s+0.25f*c[i*m+j]; } }
EXP(qmatmul)(i32*c,const i8*a,const u8*b,i32 n,i32 m,i32 k){ for(i32 i=0;i<n;i++) for(i32 j=0;j<m;j++){ i32 s=0; for(i32 l=0;l<k;l++) s+=a[i*k+l]*b[l*m+j]; c[i*m+j]=s; } }
EXP(matmult)(double*c,const double*a,const double*b,i32 n,i32 m,i32 k){ for(i32 i=0;i<n;i++) for(i32 j=0;j<m;j++){ double s=0; for(i32 l=0;l<k;l++) s+=a[i*k+l]*b[j*k+l]; c[i*m+j]=s; } }
EXP(dense)(float*y,const float*w,const float*x,const float*b,i32 n,i32 k){ for(i32 i=0;i<n;i++){ float s=b[i]; for(i32 l=0;l<k;l++) s+=w[i*k+l]*x[l]; y[i]=s>0?s:0; } }
EXP(conv3)(float*d,const float*s,const float*w,i32 h,i32 n){ for(i32 y=0;y<h;y++) for(i32 x=0;x<n;x++){ float t=0; for(i32 i=0;i<3;i++) for(i32 j=0;j<3;j++) t+=s[(y+i)*(n+2)+x+j]*w[i*3+j]; d[y*n+x]=t; } }
